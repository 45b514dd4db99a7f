// A stage that forgot the function.
