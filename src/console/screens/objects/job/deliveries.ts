import type { Sample } from './series.ts'

/** The samples that arrived with one time. */
export type Delivery = {
  readonly kind: 'stored'
  readonly at: number
  readonly values: Readonly<Record<string, number | string>>
}

/** Samples of one time as one delivery, latest first. */
export function deliveriesOf(samples: readonly Sample[]): readonly Delivery[] {
  const byTime = new Map<number, Record<string, number | string>>()
  for (const { at, key, value } of samples) {
    const values = byTime.get(at) ?? {}
    values[key] = value
    byTime.set(at, values)
  }
  return [...byTime]
    .map(([at, values]): Delivery => ({ kind: 'stored', at, values }))
    .toSorted((a, b) => b.at - a.at)
}

/** Stored and refused deliveries in one order, latest first. */
export function mergeDeliveries<R extends { readonly at: string }>(
  stored: readonly Delivery[],
  refused: readonly R[],
): readonly (Delivery | (Omit<R, 'at'> & { readonly kind: 'refused'; readonly at: number }))[] {
  return [
    ...stored,
    ...refused.map((one) => ({ ...one, kind: 'refused' as const, at: Date.parse(one.at) })),
  ].toSorted((a, b) => b.at - a.at)
}

/** The refusals for which the page knows the remedy. */
const REMEDIES = [
  'value_not_defined',
  'value_in_future',
  'value_too_old',
  'value_out_of_range',
  'unauthenticated',
  'forbidden',
  'job_stopped',
  'malformed_json',
  'invalid',
  'too_fast',
] as const

/** The key of the text that names the remedy of a refusal. */
export function remedyKey(code: string): string {
  return `job.remedy.${REMEDIES.find((one) => one === code) ?? 'other'}`
}
