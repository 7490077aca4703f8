import * as z from 'zod'
import { deliveredView, RUN_SAMPLES_MAX, RUN_TEXT_MAX, sampleValue, valueKey } from '../schema.ts'

/** Items in one call, deliveries and series together, and samples of all series together. */
const ITEMS_MAX = 10_000
const SAMPLES_MAX = 100_000

/** The id of a job, or null for everything that cannot be one. */
export function jobIdOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : null
}

export const seriesBody = z
  .strictObject({
    jobId: z.int().positive(),
    key: valueKey,
    timestamps: z.array(z.int()).min(1).max(RUN_SAMPLES_MAX).describe('Epoch milliseconds.'),
    values: z.array(sampleValue).max(RUN_SAMPLES_MAX).describe('As many as timestamps.'),
  })
  .superRefine(({ key, timestamps, values }, issues) => {
    const fault = (place: readonly (string | number)[], message: string) =>
      issues.addIssue({ code: 'custom', path: [...place], message })
    if (values.length !== timestamps.length) fault(['values'], 'must be as many as timestamps')
    const type = key.startsWith('stringValue') ? 'string' : 'number'
    let length = 0
    for (const [index, value] of values.entries()) {
      if (typeof value !== type) fault(['values', index], `must be a ${type}`)
      if (typeof value === 'string') length += value.length
    }
    if (length > RUN_TEXT_MAX) fault(['values'], `may have ${RUN_TEXT_MAX} characters`)
  })
  .meta({ id: 'Series', description: 'Samples of one value, each a delivery of its own, in this order.' })

/** Each item is looked at by itself, so that one that is wrong hinders no other: here they are anything. */
const delivery = z.unknown().meta({
  type: 'object',
  required: ['jobId'],
  properties: { jobId: { type: 'integer' } },
  allOf: [{ $ref: '#/components/schemas/Delivery' }],
})
const series = z.unknown().meta({
  type: 'object',
  required: ['jobId', 'key', 'timestamps', 'values'],
  properties: {
    jobId: { type: 'integer' },
    key: { type: 'string', description: 'returnValueN or stringValueN.' },
    timestamps: { type: 'array', items: { type: 'integer' }, description: 'Epoch milliseconds.' },
    values: { type: 'array', items: { type: ['number', 'string'] }, description: 'As many as timestamps.' },
  },
})

export const bulkBody = z
  .strictObject({
    deliveries: z.array(delivery).max(ITEMS_MAX).optional(),
    series: z.array(series).max(ITEMS_MAX).optional(),
  })
  .superRefine(({ deliveries, series: columns }, issues) => {
    const count = (deliveries?.length ?? 0) + (columns?.length ?? 0)
    if (deliveries === undefined && columns === undefined)
      issues.addIssue({ code: 'custom', path: [], message: 'needs deliveries, series or both' })
    if (count > ITEMS_MAX)
      issues.addIssue({
        code: 'custom',
        path: ['series'],
        message: `may have ${ITEMS_MAX} items with deliveries`,
      })
    if (samplesOf(columns ?? []) > SAMPLES_MAX)
      issues.addIssue({ code: 'custom', path: ['series'], message: `may have ${SAMPLES_MAX} samples` })
  })
  .meta({ id: 'Bulk', description: 'Deliveries to many jobs; those to one job are taken in this order.' })

export type BulkBody = z.infer<typeof bulkBody>

const answered = {
  jobId: z.int().nullable().describe('Null where the item names none.'),
  status: z.int().describe('What a request of its own would be answered with.'),
  replayed: z.literal(true).optional().describe('Delivered before under the same Idempotency-Key.'),
  code: z.string().optional().describe('Refused: why.'),
  detail: z.string().optional(),
  errors: z
    .array(z.object({ pointer: z.string(), message: z.string() }))
    .optional()
    .describe('JSON pointers into the whole body.'),
}

export const bulkView = z
  .object({
    results: z
      .array(deliveredView.omit({ jobId: true }).partial().extend(answered))
      .describe('One for each of deliveries, in their order.'),
    series: z
      .array(
        deliveredView
          .pick({ accepted: true, state: true, errorCode: true, nextTimeoutAt: true })
          .partial()
          .extend({
            ...answered,
            key: z.string().optional(),
            late: z.int().optional().describe('How many were older than the newest: kept, without effect.'),
            refused: z
              .array(z.object({ index: z.int(), code: z.string() }))
              .optional()
              .describe('Samples that were not kept, and why.'),
          }),
      )
      .describe('One for each of series, in their order.'),
  })
  .meta({ id: 'BulkDelivered' })

function samplesOf(columns: readonly unknown[]): number {
  let count = 0
  for (const column of columns) {
    const { timestamps } = (column ?? {}) as { timestamps?: unknown }
    if (Array.isArray(timestamps)) count += timestamps.length
  }
  return count
}
