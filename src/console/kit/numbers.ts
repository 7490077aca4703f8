import { language } from '../language/t.ts'

/** A number with at most `digits` decimals. */
export function numberText(value: number, digits = 2): string {
  return new Intl.NumberFormat(language.value, { maximumFractionDigits: digits }).format(value)
}

/** A share of 1 in per cent, with `digits` decimals, and up to `most` where it has more. */
export function percentText(share: number, digits = 0, most = digits): string {
  return percentFormat(digits, most).format(share)
}

/** An availability in per cent, measured or agreed, with the decimals that the service measures at least; a dash for null. */
export function availabilityText(percent: number | null): string {
  return percent === null ? '–' : percentText(percent / 100, MEASURED_DIGITS, AGREED_DIGITS)
}

/** An agreed percentage, with as many decimals as it has. */
export function agreedText(percent: number): string {
  return percentText(percent / 100, 0, AGREED_DIGITS)
}

const MEASURED_DIGITS = 3
const AGREED_DIGITS = 6

/** A number with its unit. The space before a percent sign depends on the language. */
export function unitText(number: string, unit: string): string {
  if (unit === '') return number
  if (unit !== '%') return `${number}\u00a0${unit}`
  const parts = percentFormat(0, 0).formatToParts(0)
  return parts.map(({ type, value }) => (type === 'integer' ? number : value)).join('')
}

const percentFormat = (least: number, most: number): Intl.NumberFormat =>
  new Intl.NumberFormat(language.value, {
    style: 'percent',
    minimumFractionDigits: least,
    maximumFractionDigits: most,
  })

/** A size in bytes; a kilobyte has 1,024 bytes, as in the limits of the service. */
export function bytesText(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit: units[unit] ?? 'byte',
    // English has no plural of the short form.
    unitDisplay: unit === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(value)
}
