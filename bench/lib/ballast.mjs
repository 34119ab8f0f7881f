// Memory that the host has touched: what makes a fork slow.

let held;

export function holdGibibyte() {
  held = Buffer.alloc(2 ** 30, 1);
  return held.length;
}
