import * as z from 'zod'
import type { Refusal } from '../lib/errors.ts'

/** The result of an action for each of several objects. @param noun names one of the objects in the description */
export function actionResults(noun: string) {
  return z.array(
    z.object({
      id: z.int(),
      status: z.enum(['done', 'refused']),
      code: z
        .string()
        .nullable()
        .describe(
          `The error code that a call for this ${noun} alone would return; null if the action was done.`,
        ),
      detail: z.string().nullable(),
    }),
  )
}

/** The result for one object; without a refusal the action was done. */
export function actionResult(id: number, refusal: Refusal | undefined) {
  return refusal
    ? { id, status: 'refused' as const, code: refusal.code, detail: refusal.detail }
    : { id, status: 'done' as const, code: null, detail: null }
}
