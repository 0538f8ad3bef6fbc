/**
 * How many of some rows, in order, hold together at most so many bytes; the first does in any case.
 */
export function countWithin(sizes: readonly number[], bytesMax: number): number {
  let bytes = 0;
  const past = sizes.findIndex((size, i) => {
    bytes += size;
    return bytes > bytesMax && i > 0;
  });
  return past < 0 ? sizes.length : past;
}
