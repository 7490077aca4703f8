import { Decimal } from './decimal.ts'

/** A parsed pattern such as `#,##0.00`. */
type Pattern = {
  readonly prefix: string
  readonly suffix: string
  readonly integerMin: number
  readonly fractionMin: number
  readonly fractionMax: number
  readonly grouping: number
  /** 100 for percents. */
  readonly factor: number
}

const NAMED: Readonly<Record<string, string>> = {
  number: '#,##0.###',
  computer: '0.################',
  c: '0.################',
  percent: '#,##0%',
  currency: '¤#,##0.00',
}
const PATTERN = /^((?:[^#0,.'%‰;E]|'[^']*')*[%‰]?)([#,0]*)(?:(\.)([0#]*))?((?:[^#0,.'‰;E]|'[^']*')*)$/u

/** The number by a named format or a pattern; undefined when the pattern is not one. */
export function formattedNumber(value: Decimal, format: string): string | undefined {
  if (format === '') return value.toString()
  const [positive = '', negative] = split(NAMED[format] ?? format)
  const pattern = parsed(positive)
  if (!pattern) return undefined
  const below = negative === undefined ? undefined : parsed(negative)
  if (negative !== undefined && !below) return undefined
  const digits = digitsOf(multiplied(value.absolute(), pattern.factor), pattern)
  if (value.unscaled >= 0n) return pattern.prefix + digits + pattern.suffix
  return below ? below.prefix + digits + below.suffix : `-${pattern.prefix}${digits}${pattern.suffix}`
}

/** Exactly, where a product is rounded. */
const multiplied = ({ unscaled, scale }: Decimal, factor: number) =>
  new Decimal(unscaled * BigInt(factor), scale)

/** The number as computers read it. */
export const computerNumber = (value: Decimal): string => formattedNumber(value, 'computer') ?? ''

/** The two parts of a pattern, at the semicolon that no quotes hold. */
function split(format: string): readonly string[] {
  const [first = ''] = /^(?:[^;']|'[^']*')*/.exec(format) ?? []
  return first.length < format.length ? [first, format.slice(first.length + 1)] : [first]
}

function parsed(format: string): Pattern | undefined {
  const found = PATTERN.exec(format)
  if (!found) return undefined
  const [, prefix = '', integer = '', point = '', fraction = '', suffix = ''] = found
  if (!areDigits(integer, fraction) || integer + point === '') return undefined
  return {
    ...leastDigits(integer, point, fraction),
    prefix: unquoted(prefix),
    suffix: unquoted(suffix),
    fractionMax: fraction.length,
    grouping: integer.includes(',') ? integer.length - integer.lastIndexOf(',') - 1 : 0,
    factor: factorOf(prefix + suffix),
  }
}

/** Without any zero, the last digit before the point is one, or the first after it. */
function leastDigits(integer: string, point: string, fraction: string) {
  if (point === '' || /0/.test(integer + fraction))
    return { integerMin: zeros(integer), fractionMin: zeros(fraction) }
  return integer === '' ? { integerMin: 0, fractionMin: 1 } : { integerMin: 1, fractionMin: 0 }
}

const zeros = (digits: string): number => digits.replaceAll(/[^0]/g, '').length

function areDigits(integer: string, fraction: string): boolean {
  return /^[#,]*[0,]*$/.test(integer) && !integer.endsWith(',') && /^0*#*$/.test(fraction)
}

function factorOf(affixes: string): number {
  const bare = affixes.replaceAll(/'[^']*'/g, '')
  if (bare.includes('%')) return 100
  return bare.includes('‰') ? 1_000 : 1
}

const unquoted = (affix: string): string =>
  affix.replaceAll(/'([^']*)'|(¤)/g, (_, text: string | undefined, currency: string | undefined) => {
    if (currency) return '$'
    return text === '' ? "'" : (text ?? '')
  })

function digitsOf(value: Decimal, { integerMin, fractionMin, fractionMax, grouping }: Pattern): string {
  const [whole = '', decimals = ''] = value.rounded(fractionMax, 'half even').toString().split('.')
  const fraction = decimals.replace(/0+$/, '').padEnd(fractionMin, '0')
  let integer = whole === '0' && integerMin === 0 ? '' : whole.padStart(integerMin, '0')
  if (integer === '' && fraction === '') integer = '0'
  const grouped =
    grouping > 0 ? integer.replaceAll(new RegExp(`\\B(?=(?:\\d{${grouping}})+$)`, 'g'), ',') : integer
  return fraction === '' ? grouped : `${grouped}.${fraction}`
}
