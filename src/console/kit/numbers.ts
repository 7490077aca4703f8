import { language } from '../language/t.ts'

/** A number with at most `digits` decimals. */
export function numberText(value: number, digits = 2): string {
  return new Intl.NumberFormat(language.value, { maximumFractionDigits: digits }).format(value)
}

/** A share of 1 in per cent. */
export function percentText(share: number, digits = 0): string {
  return new Intl.NumberFormat(language.value, { style: 'percent', maximumFractionDigits: digits }).format(
    share,
  )
}

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
