// Draws each roofline from the figures that stand beside it, which are also in the table below it.
"use strict";
(() => {
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const si = (value) => {
    const units = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
    const [by, unit] = units.find(([least]) => value >= least) || [1, ""];
    return Number((value / by).toPrecision(3)) + " " + unit;
  };
  const decade = (value) => Math.abs(Math.log10(value) % 1) < 1e-9;

  const draw = (canvas) => {
    const data = JSON.parse(document.getElementById(canvas.dataset.figures).textContent);
    const ink = style("--ink"), soft = style("--soft"), grid = style("--line");
    const xs = data.points.map((point) => point.x);
    const ridges = data.roofs.map((roof) => data.fp32 / roof.rate);
    const low = Math.min(...xs, ...ridges) / 8, high = Math.max(...xs, ...ridges) * 8;
    const colors = ["#3b82d6", "#8a63d2"];
    const roofs = data.roofs.map((roof, i) => ({
      type: "line", label: roof.name, pointStyle: "line", borderColor: colors[i], borderWidth: 2, pointRadius: 0,
      pointHitRadius: 0, data: [[low, low * roof.rate], [data.fp32 / roof.rate, data.fp32],
        [high, data.fp32]].map(([x, y]) => ({x, y})),
    }));
    const points = data.roofs.map((roof, i) => ({
      type: "scatter", label: "kernels, by bytes of " + roof.memory, backgroundColor: colors[i],
      borderColor: ink, borderWidth: 1, pointRadius: 7, pointHoverRadius: 9,
      pointStyle: i === 0 ? "circle" : "rectRot",
      data: data.points.filter((point) => point.memory === roof.memory),
    }));
    const least = Math.min(...data.points.map((point) => point.y), low * data.roofs[0].rate);
    const axis = (title, min, max) => ({
      type: "logarithmic", min, max, title: {display: true, text: title, color: soft},
      grid: {color: (tick) => decade(tick.tick.value) ? grid : "transparent"},
      ticks: {color: soft, maxRotation: 0, callback: (value) => decade(value) ? si(value) : ""},
    });
    const chart = new Chart(canvas, {
      data: {datasets: [...points, ...roofs]},
      options: {
        responsive: true, maintainAspectRatio: false, animation: false,
        scales: {x: axis("floating-point operations for each byte", low, high),
          y: axis("operations a second (FLOP/s)", least / 3, data.fp32 * 3)},
        plugins: {
          legend: {position: "bottom", labels: {color: ink, usePointStyle: true}},
          tooltip: {filter: (item) => item.dataset.type === "scatter", callbacks: {
            label: (item) => item.raw.kernel + ": " + si(item.raw.y) + "FLOP/s, " +
              si(item.raw.x) + "FLOP/byte"}},
        },
      },
    });
    canvas.dataset.drawn = String(chart.data.datasets.reduce((sum, set) => sum + set.data.length, 0));
    return chart;
  };

  let charts = [];
  const all = () => {
    charts.forEach((chart) => chart.destroy());
    charts = [...document.querySelectorAll("canvas[data-figures]")].map(draw);
  };
  all();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
})();
