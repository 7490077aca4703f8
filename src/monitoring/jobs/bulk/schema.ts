import * as z from 'zod'
import {
  deliveredView,
  deliveryWarning,
  RUN_SAMPLES_MAX,
  RUN_TEXT_MAX,
  sampleValue,
  valueKey,
} from '../schema.ts'
import { isJsonObject } from '../../../lib/json.ts'

/** Items of one call, deliveries and series together; and samples of all series together. */
const ITEMS_MAX = 10_000
const SAMPLES_MAX = 100_000

/** The id of a job, or null if the value cannot be one. */
export function jobIdOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : null
}

export const seriesBody = z
  .strictObject({
    jobId: z.int().positive(),
    key: valueKey,
    timestamps: z
      .array(z.int())
      .min(1)
      .max(RUN_SAMPLES_MAX)
      .describe('Milliseconds since 1970-01-01T00:00Z.'),
    values: z.array(sampleValue).max(RUN_SAMPLES_MAX).describe('One value for each timestamp.'),
  })
  .superRefine(({ key, timestamps, values }, issues) => {
    if (values.length !== timestamps.length)
      issues.addIssue({ code: 'custom', path: ['values'], message: 'must have one value for each timestamp' })
    refuseOthers(key, values, issues)
  })
  .meta({
    id: 'Series',
    description:
      'A time series: samples of one value of one job, delivered in this order. Each sample counts as a delivery of its own.',
  })

export const roundBody = z
  .strictObject({
    key: valueKey,
    timestamp: z.int().optional().describe('Milliseconds since 1970-01-01T00:00Z; if absent, now.'),
    jobIds: z.array(z.int().positive()).min(1).max(RUN_SAMPLES_MAX),
    values: z.array(sampleValue).max(RUN_SAMPLES_MAX).describe('One value for each job id.'),
  })
  .superRefine(({ key, jobIds, values }, issues) => {
    if (values.length !== jobIds.length)
      issues.addIssue({ code: 'custom', path: ['values'], message: 'must have one value for each job id' })
    refuseOthers(key, values, issues)
  })
  .meta({
    id: 'Round',
    description:
      'A row: one value of each of many jobs at one instant. Each value counts as a delivery of its own.',
  })

/** Reports values that do not have the key's type, and too much text. */
function refuseOthers(
  key: string,
  values: readonly unknown[],
  issues: Pick<z.core.$RefinementCtx, 'addIssue'>,
): void {
  const fault = (place: readonly (string | number)[], message: string) =>
    issues.addIssue({ code: 'custom', path: [...place], message })
  const type = key.startsWith('stringValue') ? 'string' : 'number'
  let length = 0
  for (const [index, value] of values.entries()) {
    if (typeof value !== type) fault(['values', index], `must be a ${type}`)
    if (typeof value === 'string') length += value.length
  }
  if (length > RUN_TEXT_MAX) fault(['values'], `must have at most ${RUN_TEXT_MAX} characters together`)
}

/** Items are validated one by one, so that a fault rejects its own item only. The body accepts anything here. */
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
    timestamps: {
      type: 'array',
      items: { type: 'integer' },
      description: 'Milliseconds since 1970-01-01T00:00Z.',
    },
    values: {
      type: 'array',
      items: { type: ['number', 'string'] },
      description: 'One value for each timestamp.',
    },
  },
})
const round = z.unknown().meta({
  type: 'object',
  required: ['key', 'jobIds', 'values'],
  properties: {
    key: { type: 'string', description: 'returnValueN or stringValueN.' },
    timestamp: { type: 'integer', description: 'Milliseconds since 1970-01-01T00:00Z; if absent, now.' },
    jobIds: { type: 'array', items: { type: 'integer' } },
    values: {
      type: 'array',
      items: { type: ['number', 'string'] },
      description: 'One value for each job id.',
    },
  },
})

export const bulkBody = z
  .strictObject({
    deliveries: z.array(delivery).max(ITEMS_MAX).optional(),
    series: z.array(series).max(ITEMS_MAX).optional(),
    rounds: z
      .array(round)
      .max(ITEMS_MAX)
      .optional()
      .describe('Rows of values. Must be sent without deliveries and series.'),
  })
  .superRefine((body, issues) => {
    const { deliveries, series: columns, rounds } = body
    const fault = (path: readonly string[], message: string) =>
      issues.addIssue({ code: 'custom', path: [...path], message })
    const lists = [deliveries, columns, rounds].filter((list) => list !== undefined)
    if (lists.length === 0) fault([], 'must have deliveries or series or both, or else rounds')
    if (rounds && lists.length > 1) fault(['rounds'], 'must be sent without deliveries and series')
    if (lengthOf(deliveries) + lengthOf(columns) > ITEMS_MAX)
      fault(['series'], `must have at most ${ITEMS_MAX} items together with deliveries`)
    if (samplesOf(columns, 'timestamps') > SAMPLES_MAX)
      fault(['series'], `must have at most ${SAMPLES_MAX} samples in total`)
    if (samplesOf(rounds, 'jobIds') > SAMPLES_MAX)
      fault(['rounds'], `must have at most ${SAMPLES_MAX} values in total`)
  })
  .meta({
    id: 'Bulk',
    examples: [{ deliveries: [{ jobId: 3, returnValue1: 21.5, errorCode: 0 }] }],
    description: 'Deliveries to many jobs. Deliveries to the same job are processed in this order.',
  })

export type BulkBody = z.infer<typeof bulkBody>

/** A body with one list that passes the schema, without validating its items; null for every other body. */
export function plainBulk(input: unknown): BulkBody | null {
  if (!isJsonObject(input)) return null
  const [name = '', more] = Object.keys(input)
  const list = input[name]
  if (more !== undefined || !Array.isArray(list) || list.length > ITEMS_MAX) return null
  if (name === 'deliveries') return input
  const column = name === 'series' ? 'timestamps' : 'jobIds'
  if (name !== 'series' && name !== 'rounds') return null
  return samplesOf(list, column) > SAMPLES_MAX ? null : input
}

const namedJob = z.int().nullable().describe('The job of the item; null if the item has no valid jobId.')

const refusedSamples = z
  .array(z.object({ index: z.int(), code: z.string() }))
  .describe('The samples that were not stored, each with its error code.')

const answered = {
  status: z.int().describe('The HTTP status that a separate request for this item would get.'),
  replayed: z
    .literal(true)
    .optional()
    .describe('True if the item was delivered before with the same Idempotency-Key; it is not stored twice.'),
  code: z.string().optional().describe('The error code, if the item was rejected.'),
  detail: z.string().optional(),
  errors: z
    .array(z.object({ pointer: z.string(), message: z.string() }))
    .optional()
    .describe('The faults of the item, as JSON pointers into the whole body.'),
}

export const bulkView = z
  .object({
    results: z
      .array(
        deliveredView
          .omit({ jobId: true })
          .partial()
          .extend({ jobId: namedJob, ...answered }),
      )
      .describe('One result for each item of `deliveries`, in the same order.'),
    series: z
      .array(
        deliveredView
          .pick({ accepted: true, state: true, errorCode: true, nextTimeoutAt: true, warnings: true })
          .partial()
          .extend({
            jobId: namedJob,
            ...answered,
            key: z.string().optional(),
            late: z
              .int()
              .optional()
              .describe(
                'Number of samples that are older than the newest delivery: stored, without effect on the state.',
              ),
            refused: refusedSamples.optional(),
          }),
      )
      .describe('One result for each item of `series`, in the same order.'),
    rounds: z
      .array(
        z.object({
          ...answered,
          accepted: z.int().optional().describe('Number of values stored.'),
          late: z
            .int()
            .optional()
            .describe('Number of stored values that are older than the newest delivery of their job.'),
          refused: refusedSamples.optional(),
          warnings: z
            .array(
              deliveryWarning.extend({
                indexes: z.array(z.int()).describe('The indexes of the values that the warning is about.'),
              }),
            )
            .optional(),
        }),
      )
      .optional()
      .describe('One result for each item of `rounds`, in the same order.'),
  })
  .meta({ id: 'BulkDelivered' })

function lengthOf(list: readonly unknown[] = []): number {
  return list.length
}

function samplesOf(items: readonly unknown[] = [], column: 'timestamps' | 'jobIds'): number {
  let count = 0
  for (const item of items) {
    const { [column]: list } = (item ?? {}) as Readonly<Record<string, unknown>>
    if (Array.isArray(list)) count += list.length
  }
  return count
}
