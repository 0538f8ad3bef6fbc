import {
  createKeyPairs,
  type KeyPair,
  type KeyPairs,
  keyPairsWaitingMax,
  makeKeyPair,
} from "../../src/secrets/key-pairs.ts";

/** Keys of servers that are closed: to make one takes longer than to start a server. */
const spare: KeyPair[] = [];

/** Keys of which no two servers that are open at once have the same. */
export function borrowKeyPairs(): { readonly keyPairs: KeyPairs; readonly giveBack: () => void } {
  const borrowed: KeyPair[] = [];
  const make = async () => {
    const pair = spare.pop() ?? (await makeKeyPair());
    borrowed.push(pair);
    return pair;
  };
  return {
    keyPairs: createKeyPairs({ waitingMax: keyPairsWaitingMax, make }),
    giveBack: () => void spare.push(...borrowed.splice(0)),
  };
}
