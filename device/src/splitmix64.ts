/**
 * SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014), with the constants
 * of the reference implementation.
 */

const GOLDEN = 0x9e3779b97f4a7c15n;
const FIRST = 0xbf58476d1ce4e5b9n;
const SECOND = 0x94d049bb133111ebn;

/** A stream of random numbers, the same on every device. */
export class SplitMix64 {
  #state: bigint;

  /** @param seed any integer; its low 64 bits count. */
  constructor(seed: bigint) {
    this.#state = BigInt.asUintN(64, seed);
  }

  /** 64 random bits as an integer. */
  next(): bigint {
    this.#state = BigInt.asUintN(64, this.#state + GOLDEN);
    let z = this.#state;
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * FIRST);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * SECOND);
    return z ^ (z >> 31n);
  }

  /** A double in [0, 1), a multiple of 2**-53. */
  uniform(): number {
    return Number(this.next() >> 11n) * 2 ** -53;
  }
}
