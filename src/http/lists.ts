import type * as z from 'zod'

/** A refinement of a list that rejects each item that occurred before, or each whose field did; an absent field occurs
 * never. */
export function withoutRepeats(field?: string) {
  return (items: readonly unknown[], issues: Pick<z.core.$RefinementCtx, 'addIssue'>): void => {
    const seen = new Set<unknown>()
    for (const [index, item] of items.entries()) {
      const value = field === undefined ? item : (item as Readonly<Record<string, unknown>>)[field]
      if (value !== undefined && seen.has(value))
        issues.addIssue({
          code: 'custom',
          path: field === undefined ? [index] : [index, field],
          message: 'must not occur twice',
        })
      seen.add(value)
    }
  }
}
