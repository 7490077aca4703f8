import * as z from 'zod'
import { isFields } from '../plain.ts'
import {
  deliveredView,
  deliveryWarning,
  RUN_SAMPLES_MAX,
  RUN_TEXT_MAX,
  sampleValue,
  valueKey,
} from '../schema.ts'

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
    if (values.length !== timestamps.length)
      issues.addIssue({ code: 'custom', path: ['values'], message: 'must be as many as timestamps' })
    refuseOthers(key, values, issues)
  })
  .meta({ id: 'Series', description: 'Samples of one value, each a delivery of its own, in this order.' })

export const roundBody = z
  .strictObject({
    key: valueKey,
    timestamp: z.int().optional().describe('Epoch milliseconds; absent means now.'),
    jobIds: z.array(z.int().positive()).min(1).max(RUN_SAMPLES_MAX),
    values: z.array(sampleValue).max(RUN_SAMPLES_MAX).describe('As many as jobIds.'),
  })
  .superRefine(({ key, jobIds, values }, issues) => {
    if (values.length !== jobIds.length)
      issues.addIssue({ code: 'custom', path: ['values'], message: 'must be as many as jobIds' })
    refuseOthers(key, values, issues)
  })
  .meta({
    id: 'Round',
    description: 'One value of each of many jobs at one instant, each a delivery of its own.',
  })

/** Values that are not of the key's type, and more text than fits. */
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
  if (length > RUN_TEXT_MAX) fault(['values'], `may have ${RUN_TEXT_MAX} characters`)
}

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
const round = z.unknown().meta({
  type: 'object',
  required: ['key', 'jobIds', 'values'],
  properties: {
    key: { type: 'string', description: 'returnValueN or stringValueN.' },
    timestamp: { type: 'integer', description: 'Epoch milliseconds; absent means now.' },
    jobIds: { type: 'array', items: { type: 'integer' } },
    values: { type: 'array', items: { type: ['number', 'string'] }, description: 'As many as jobIds.' },
  },
})

export const bulkBody = z
  .strictObject({
    deliveries: z.array(delivery).max(ITEMS_MAX).optional(),
    series: z.array(series).max(ITEMS_MAX).optional(),
    rounds: z.array(round).max(ITEMS_MAX).optional().describe('Come without deliveries and series.'),
  })
  .superRefine((body, issues) => {
    const { deliveries, series: columns, rounds } = body
    const fault = (path: readonly string[], message: string) =>
      issues.addIssue({ code: 'custom', path: [...path], message })
    const lists = [deliveries, columns, rounds].filter((list) => list !== undefined)
    if (lists.length === 0) fault([], 'needs deliveries, series or both, or rounds')
    if (rounds && lists.length > 1) fault(['rounds'], 'come without deliveries and series')
    if (lengthOf(deliveries) + lengthOf(columns) > ITEMS_MAX)
      fault(['series'], `may have ${ITEMS_MAX} items with deliveries`)
    if (samplesOf(columns, 'timestamps') > SAMPLES_MAX) fault(['series'], `may have ${SAMPLES_MAX} samples`)
    if (samplesOf(rounds, 'jobIds') > SAMPLES_MAX) fault(['rounds'], `may have ${SAMPLES_MAX} values`)
  })
  .meta({ id: 'Bulk', description: 'Deliveries to many jobs; those to one job are taken in this order.' })

export type BulkBody = z.infer<typeof bulkBody>

/** A body that is one list, as the schema has it, without looking at each of its items; null for every other. */
export function plainBulk(input: unknown): BulkBody | null {
  if (!isFields(input)) return null
  const [name = '', more] = Object.keys(input)
  const list = input[name]
  if (more !== undefined || !Array.isArray(list) || list.length > ITEMS_MAX) return null
  if (name === 'deliveries') return input
  const column = name === 'series' ? 'timestamps' : 'jobIds'
  if (name !== 'series' && name !== 'rounds') return null
  return samplesOf(list, column) > SAMPLES_MAX ? null : input
}

const namedJob = z.int().nullable().describe('Null where the item names none.')

const refusedSamples = z
  .array(z.object({ index: z.int(), code: z.string() }))
  .describe('Samples that were not kept, and why.')

const answered = {
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
      .array(
        deliveredView
          .omit({ jobId: true })
          .partial()
          .extend({ jobId: namedJob, ...answered }),
      )
      .describe('One for each of deliveries, in their order.'),
    series: z
      .array(
        deliveredView
          .pick({ accepted: true, state: true, errorCode: true, nextTimeoutAt: true, warnings: true })
          .partial()
          .extend({
            jobId: namedJob,
            ...answered,
            key: z.string().optional(),
            late: z.int().optional().describe('How many were older than the newest: kept, without effect.'),
            refused: refusedSamples.optional(),
          }),
      )
      .describe('One for each of series, in their order.'),
    rounds: z
      .array(
        z.object({
          ...answered,
          accepted: z.int().optional().describe('How many values were kept.'),
          late: z.int().optional().describe('How many of these were older than the newest.'),
          refused: refusedSamples.optional(),
          warnings: z
            .array(deliveryWarning.extend({ indexes: z.array(z.int()).describe('Of which values.') }))
            .optional(),
        }),
      )
      .optional()
      .describe('One for each of rounds, in their order.'),
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
