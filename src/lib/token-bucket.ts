/** A rate limit: `burst` tokens at first, then `perSecond` tokens a second, and never more than `burst`. */
export class TokenBucket {
  readonly #burst: number
  readonly #perSecond: number
  #tokens: number
  #filledAt = Number.NEGATIVE_INFINITY

  constructor({ burst, perSecond }: { readonly burst: number; readonly perSecond: number }) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#tokens = burst
  }

  /** Takes a token. @param now epoch ms @returns false if the bucket has no token */
  take(now: number): boolean {
    const elapsedMs = Math.max(0, now - this.#filledAt)
    this.#tokens = Math.min(this.#burst, this.#tokens + (elapsedMs * this.#perSecond) / 1_000)
    this.#filledAt = now
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}
