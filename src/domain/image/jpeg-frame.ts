import { bigEndian, damaged, readBytes } from "./bytes.ts";

// What the segments of a JPEG say (T.81, annex B).

/** The header of a JPEG. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly components: readonly Component[];
}

interface Component {
  readonly id: number;
  /** How many samples it has beside those of the others, across and down. */
  readonly across: number;
  readonly down: number;
}

/** Reads the header. Throws ImageRefused where it is invalid. */
export function readFrame(data: Uint8Array): Frame {
  const invalid = damaged("its header is invalid");
  const [precision, , , , , count = 0] = data;
  const hasCount = count === 1 || count === 3 || count === 4;
  if (precision !== 8 || !hasCount || data.length !== 6 + 3 * count) throw invalid;
  const components = Array.from({ length: count }, (_, i) => {
    const [id = 0, factors = 0, table = 0] = data.subarray(6 + 3 * i);
    const [across, down] = [factors >> 4, factors & 15];
    const isValid = across >= 1 && across <= 4 && down >= 1 && down <= 4 && table <= 3;
    if (!isValid) throw invalid;
    return { id, across, down };
  });
  if (new Set(components.map(({ id }) => id)).size < count) throw invalid;
  const [height, width] = [bigEndian(data.subarray(1, 3)), bigEndian(data.subarray(3, 5))];
  return { width, height, components };
}

/** The blocks of 8 × 8 samples that the image has at least. */
export function blocksIn({ width, height, components }: Frame): number {
  const acrossMost = Math.max(...components.map(({ across }) => across));
  const downMost = Math.max(...components.map(({ down }) => down));
  const blocks = components.map(({ across, down }) => {
    const columns = Math.ceil(Math.ceil((width * across) / acrossMost) / 8);
    return columns * Math.ceil(Math.ceil((height * down) / downMost) / 8);
  });
  return blocks.reduce((sum, count) => sum + count, 0);
}

/** Checks the header of a scan. Throws ImageRefused where it is not one of the frame. */
export function readScan(data: Uint8Array, { components }: Frame): void {
  const [count = 0] = data;
  const ids = Array.from({ length: count }, (_, i) => data[1 + 2 * i]);
  const isOfFrame = ids.every((id) => components.some((component) => component.id === id));
  const isUnique = new Set(ids).size === count;
  if (count >= 1 && data.length === 4 + 2 * count && isOfFrame && isUnique) return;
  throw damaged("the header of a scan is invalid");
}

/** Checks that a segment holds nothing but tables of quantization. Throws ImageRefused. */
export function checkQuantization(data: Uint8Array): void {
  const reader = readBytes(data);
  while (reader.left > 0) {
    const [about = 0] = reader.take(1);
    if (about >> 4 > 1 || (about & 15) > 3) throw damaged("a table is invalid");
    reader.take(about >> 4 === 0 ? 64 : 128);
  }
}

/** Checks that a segment holds nothing but tables of Huffman codes. Throws ImageRefused. */
export function checkHuffman(data: Uint8Array): void {
  const reader = readBytes(data);
  while (reader.left > 0) {
    const [about = 0, ...counts] = reader.take(17);
    const codes = counts.reduce((sum, count) => sum + count, 0);
    if (about >> 4 > 1 || (about & 15) > 3 || codes > 256) throw damaged("a table is invalid");
    reader.take(codes);
  }
}
