// What an access costs: passes through the banks of shared memory, sectors of global memory. As the counters
// of the simulated GPU have it (count/access_cost.cpp).

const banks = 32;

/// Lanes that shared memory serves at once, by the bytes that each of them moves.
const group_of = (bytes, touches_of_lane) => {
  if (bytes <= 4) return 32;
  const group = bytes === 8 ? 16 : 8;
  const same = (distance) => [...touches_of_lane].every(([lane, first]) =>
    !touches_of_lane.has(lane ^ distance) || touches_of_lane.get(lane ^ distance) === first);
  return same(1) || same(2) ? 2 * group : group;
};

/// The passes of a shared access, each a list by bank of {word, lanes}; a word that several lanes want is
/// one, unless they change it atomically.
const passes_of = (array, touches, is_atomic) => {
  const words_of_lane = new Map(), first_of_lane = new Map();
  for (const {lane, index} of touches) {
    const first = array.offset + index * array.bytes;
    if (!words_of_lane.has(lane)) words_of_lane.set(lane, new Set());
    first_of_lane.set(lane, Math.min(first, first_of_lane.get(lane) ?? Infinity));
    for (let byte = first; byte < first + array.bytes; byte += Math.min(4, array.bytes))
      words_of_lane.get(lane).add(Math.floor(byte / 4));
  }
  const most_words = Math.max(...[...words_of_lane.values()].map((words) => words.size));
  const group = group_of(4 * most_words, first_of_lane);
  const passes = [];
  for (let first = 0; first < 32; first += group) {
    const wanted = Array.from({length: banks}, () => new Map());
    for (const [lane, words] of words_of_lane) {
      if (lane < first || lane >= first + group) continue;
      for (const word of words) {
        const key = is_atomic ? word + ":" + lane : word;
        const bank = wanted[word % banks];
        if (!bank.has(key)) bank.set(key, {word, lanes: []});
        bank.get(key).lanes.push(lane);
      }
    }
    const count = Math.max(...wanted.map((bank) => bank.size));
    for (let pass = 0; pass < count; ++pass) passes.push(wanted.map((bank) => [...bank.values()][pass]));
  }
  return passes;
};

const sector_bytes = 32;

/// The sectors of a global access, by number from the array's first: {used: bytes, lanes}.
const sectors_of = (array, touches) => {
  const sectors = new Map();
  for (const {lane, index} of touches) {
    for (let byte = 0; byte < array.bytes; ++byte) {
      const at = array.offset + index * array.bytes + byte;
      const number = Math.floor(at / sector_bytes);
      if (!sectors.has(number)) sectors.set(number, {used: new Set(), lanes: new Set()});
      sectors.get(number).used.add(at % sector_bytes);
      sectors.get(number).lanes.add(lane);
    }
  }
  return sectors;
};

const used_bytes = (sectors) => [...sectors.values()].reduce((sum, sector) => sum + sector.used.size, 0);
