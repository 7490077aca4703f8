import { TemplateFault, UNPLACED } from '../fault.ts'

/** Results of divisions and products have at most this many digits after the point. */
const SCALE = 12
export const DIGITS_MAX = 1_000
const LIMIT = 10n ** BigInt(DIGITS_MAX)
const WORD = 2n ** 63n

export type Rounding = 'half up' | 'half even' | 'floor' | 'ceiling' | 'down'

/** An exact number: `unscaled` divided by ten to the power of `scale`. */
export class Decimal {
  constructor(
    readonly unscaled: bigint,
    readonly scale: number,
  ) {
    if (unscaled >= LIMIT || unscaled <= -LIMIT)
      throw new TemplateFault(UNPLACED, `is a number with more than ${DIGITS_MAX} digits`, 'limit')
  }

  static of(value: number | bigint): Decimal {
    return new Decimal(BigInt(value), 0)
  }

  /** Reads `-12.5` and `1.5e-7`; undefined for anything else. */
  static parse(text: string): Decimal | undefined {
    const [whole, sign, integer = '', fraction = '', exponent = '0'] =
      /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text) ?? []
    if (whole === undefined || integer + fraction === '') return undefined
    const digits = BigInt(integer + fraction) * (sign === '-' ? -1n : 1n)
    const scale = fraction.length - Number(exponent)
    return scale < 0 ? new Decimal(digits * power(-scale), 0) : new Decimal(digits, scale)
  }

  plus(other: Decimal): Decimal {
    const scale = Math.max(this.scale, other.scale)
    return new Decimal(this.#at(scale) + other.#at(scale), scale)
  }

  minus(other: Decimal): Decimal {
    return this.plus(other.negated())
  }

  times(other: Decimal): Decimal {
    const product = new Decimal(this.unscaled * other.unscaled, this.scale + other.scale)
    return product.scale > SCALE ? product.rounded(SCALE, 'half up') : product
  }

  /** Undefined for a division by zero. */
  dividedBy(other: Decimal): Decimal | undefined {
    if (other.unscaled === 0n) return undefined
    const scale = Math.max(SCALE, this.scale, other.scale)
    const shift = scale + other.scale - this.scale
    return new Decimal(quotient(this.unscaled * power(shift), other.unscaled, 'half up'), scale)
  }

  /** The remainder of the integer parts, in 64 bits; undefined for a division by zero. */
  modulo(other: Decimal): Decimal | undefined {
    const divisor = other.#long()
    return divisor === 0n ? undefined : new Decimal(this.#long() % divisor, 0)
  }

  /** Whether computations with it take many times as long as with numbers of 64 bits. */
  isLong(): boolean {
    return this.unscaled >= WORD || this.unscaled <= -WORD
  }

  negated(): Decimal {
    return new Decimal(-this.unscaled, this.scale)
  }

  absolute(): Decimal {
    return this.unscaled < 0n ? this.negated() : this
  }

  compare(other: Decimal): number {
    const scale = Math.max(this.scale, other.scale)
    const [left, right] = [this.#at(scale), other.#at(scale)]
    if (left === right) return 0
    return left < right ? -1 : 1
  }

  rounded(scale: number, rounding: Rounding): Decimal {
    if (scale >= this.scale) return new Decimal(this.#at(scale), scale)
    return new Decimal(quotient(this.unscaled, power(this.scale - scale), rounding), scale)
  }

  /** The integer part, in 32 bits as a computer stores it. */
  integer(): number {
    return Number(BigInt.asIntN(32, this.#long()))
  }

  isInteger(): boolean {
    return this.scale === 0 || this.unscaled % power(this.scale) === 0n
  }

  /** All digits, without exponent. */
  toString(): string {
    const digits = (this.unscaled < 0n ? -this.unscaled : this.unscaled)
      .toString()
      .padStart(this.scale + 1, '0')
    const point = digits.length - this.scale
    const fraction = this.scale > 0 ? `.${digits.slice(point)}` : ''
    return `${this.unscaled < 0n ? '-' : ''}${digits.slice(0, point)}${fraction}`
  }

  #at(scale: number): bigint {
    return this.unscaled * power(scale - this.scale)
  }

  #long(): bigint {
    return BigInt.asIntN(64, this.unscaled / power(this.scale))
  }
}

const power = (exponent: number): bigint => 10n ** BigInt(exponent)

function quotient(dividend: bigint, divisor: bigint, rounding: Rounding): bigint {
  const result = dividend / divisor
  const rest = dividend % divisor
  if (rest === 0n) return result
  const sign = dividend < 0n === divisor < 0n ? 1n : -1n
  return isAway(rounding, sign, result, compareHalf(rest, divisor)) ? result + sign : result
}

function isAway(rounding: Rounding, sign: bigint, result: bigint, half: number): boolean {
  switch (rounding) {
    case 'down':
      return false
    case 'floor':
      return sign < 0n
    case 'ceiling':
      return sign > 0n
    case 'half up':
      return half >= 0
    case 'half even':
      return half > 0 || (half === 0 && result % 2n !== 0n)
  }
}

/** Compares the rest with half of the divisor. */
function compareHalf(rest: bigint, divisor: bigint): number {
  const [double, whole] = [2n * (rest < 0n ? -rest : rest), divisor < 0n ? -divisor : divisor]
  if (double === whole) return 0
  return double < whole ? -1 : 1
}
