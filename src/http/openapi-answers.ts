import * as z from 'zod'
import type { Answer } from './policy.ts'

/** The text of a positive integer. */
export const ID = /^[1-9]\d{0,14}$/

/** A positive integer in a path. */
export const idParam = z
  .string()
  .regex(ID, 'must be a positive whole number')
  .transform(Number)
  .meta({ type: 'integer', minimum: 1 })

/** The path of one thing with an id: `/jobs/{id}`. */
export const idPath = z.object({ id: idParam })

/** A flag in a query: `true` or `false`, in any letter case. */
export const flagQuery = z
  .string()
  .regex(/^(?:true|false)$/i, 'must be true or false')
  .transform((text) => text.toLowerCase() === 'true')
  .meta({ type: 'boolean' })

/** Marks a field that reads show and only the service sets: bodies may send it back, a merge patch cannot change it. */
export const READ_ONLY = { readOnly: true } as const

/** A read-only field of any shape. */
export const shownOnly = z.unknown().optional().meta(READ_ONLY)

export function ok(schema: z.ZodType, description: string, headers: readonly string[] = []): Answer {
  return { description, schema, headers }
}

export const noContent: Answer = { description: 'Done.' }

/** The path of a request as it was sent, which a header may carry; a path that was decoded may have any character. */
export function sentPath({ url }: Pick<Request, 'url'>): string {
  return new URL(url).pathname
}
