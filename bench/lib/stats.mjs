export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Returns the median distance from the median, as a fraction of the median. */
export function spread(values) {
  const centre = median(values);
  if (centre === 0) return 0;
  return median(values.map((value) => Math.abs(value - centre))) / Math.abs(centre);
}
