import { Refusal } from '../../../lib/errors.ts'
import type { Fault } from '../../../lib/errors.ts'
import { pointerOf } from '../../../lib/pointer.ts'
import type { Delivery, Round, Run, Value } from '../../../ports/job-actors.ts'
import { VALUES_MAX } from '../../rules/schema.ts'
import {
  deliveryBody,
  deliveryOf,
  ERROR_CODE_MAX,
  RUN_SAMPLES_MAX,
  RUN_TEXT_MAX,
  TEXT_MAX,
} from '../schema.ts'
import { jobIdOf, roundBody, seriesBody } from './schema.ts'

/** What one item of a bulk delivery is for, and what is in it. */
type Item<Content> =
  | { readonly jobId: number; readonly content: Content }
  | { readonly jobId: number | null; readonly refusal: Refusal }

type Fields = Readonly<Record<string, unknown>>

/** One of `deliveries`. What is plain is read by hand, at a tenth of the price and with the same result. */
export function deliveryItem(input: unknown): Item<Delivery> {
  if (isFields(input)) {
    const delivery = plainDelivery(input)
    if (delivery) return { jobId: input['jobId'] as number, content: delivery }
  }
  return anyDelivery(input)
}

/** One of `series`, read in the same way. */
export function seriesItem(input: unknown): Item<Run> {
  if (isFields(input)) {
    const run = plainRun(input)
    if (run) return { jobId: input['jobId'] as number, content: run }
  }
  return anyRun(input)
}

/** One of `rounds`, read in the same way. */
export function roundItem(input: unknown): Round | Refusal {
  return (isFields(input) ? plainRound(input) : null) ?? anyRound(input)
}

/** As the schema has it, for every item. */
export function anyDelivery(input: unknown): Item<Delivery> {
  if (!isFields(input))
    return { jobId: null, refusal: invalid([{ pointer: '', message: 'must be an object' }]) }
  const { jobId: given, ...rest } = input
  const jobId = jobIdOf(given)
  const result = deliveryBody.safeParse(rest)
  const faults = [...prototypeFaults(input), ...(result.error?.issues ?? []).map(faultOf)]
  if (jobId === null) return { jobId, refusal: invalid([NO_JOB, ...faults]) }
  if (!result.success || faults.length > 0) return { jobId, refusal: invalid(faults) }
  return { jobId, content: deliveryOf(result.data) }
}

/** As the schema has it, for every item. */
export function anyRun(input: unknown): Item<Run> {
  const result = seriesBody.safeParse(input)
  if (result.success) {
    const { jobId, key, timestamps, values } = result.data
    return { jobId, content: { key, at: timestamps, values } }
  }
  const jobId = isFields(input) ? jobIdOf(input['jobId']) : null
  return { jobId, refusal: invalid(result.error.issues.flatMap(faultsOf)) }
}

/** As the schema has it, for every item. */
export function anyRound(input: unknown): Round | Refusal {
  const result = roundBody.safeParse(input)
  if (!result.success) return invalid(result.error.issues.flatMap(faultsOf))
  const { key, timestamp, jobIds, values } = result.data
  return { key, timestampAt: timestamp ?? null, jobIds, values }
}

const NUMBERS = new Set(Array.from({ length: VALUES_MAX }, (_, index) => `returnValue${index + 1}`))
const TEXTS = new Set(Array.from({ length: VALUES_MAX }, (_, index) => `stringValue${index + 1}`))

/** Null for everything that is not certainly acceptable and simple. */
function plainDelivery(item: Fields): Delivery | null {
  const values: Record<string, Value> = {}
  let errorCode: number | null = null
  let timestampAt: number | null = null
  if (jobIdOf(item['jobId']) === null) return null
  for (const key in item) {
    const value = item[key]
    if (NUMBERS.has(key) && isNumber(value)) values[key] = value
    else if (TEXTS.has(key) && isText(value)) values[key] = value
    else if (key === 'errorCode' && isErrorCode(value)) errorCode = value
    else if (key === 'timestamp' && isPlainInstant(value)) timestampAt = Date.parse(value)
    else if (key !== 'jobId') return null
  }
  return { signal: 'result', values, errorCode, timestampAt, message: null, ttlMs: null, runId: null }
}

function plainRun(item: Fields): Run | null {
  const { jobId, key, timestamps, values, ...rest } = item
  if (jobIdOf(jobId) === null || Object.keys(rest).length > 0 || typeof key !== 'string') return null
  if (!areColumns(timestamps, values) || !timestamps.every(Number.isSafeInteger)) return null
  return fits(key, values) ? { key, at: timestamps as number[], values } : null
}

function plainRound(item: Fields): Round | null {
  const { key, timestamp = null, jobIds, values, ...rest } = item
  if (Object.keys(rest).length > 0 || typeof key !== 'string') return null
  if ('timestamp' in item && !Number.isSafeInteger(timestamp)) return null
  if (!areColumns(jobIds, values) || !jobIds.every((id) => jobIdOf(id) !== null)) return null
  return fits(key, values)
    ? { key, timestampAt: timestamp as number | null, jobIds: jobIds as number[], values }
    : null
}

/** Whether a column of integers and one of values are equally long, and no longer than they may be. */
function areColumns(integers: unknown, values: unknown): integers is readonly unknown[] {
  if (!Array.isArray(integers) || !Array.isArray(values)) return false
  return integers.length > 0 && integers.length <= RUN_SAMPLES_MAX && integers.length === values.length
}

/** Whether the values are of the key's type. */
function fits(key: string, values: unknown): values is Value[] {
  if (!Array.isArray(values)) return false
  return NUMBERS.has(key) ? values.every(isNumber) : TEXTS.has(key) && areTexts(values)
}

function areTexts(values: readonly unknown[]): boolean {
  let length = 0
  for (const value of values) {
    if (!isText(value)) return false
    length += value.length
  }
  return length <= RUN_TEXT_MAX
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= TEXT_MAX
}

function isErrorCode(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= ERROR_CODE_MAX
}

/** No day after the 28th, so that it is one in every month. */
const PLAIN_INSTANT =
  /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/

function isPlainInstant(value: unknown): value is string {
  return typeof value === 'string' && PLAIN_INSTANT.test(value)
}

function isFields(input: unknown): input is Fields {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
}

type Issue = {
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly keys?: readonly string[]
}

function faultsOf(issue: Issue): Fault[] {
  if (issue.keys === undefined) return [faultOf(issue)]
  return issue.keys.map((key) => ({ pointer: pointerOf([key]), message: 'is not a known field' }))
}

function faultOf({ path, message }: Issue): Fault {
  return { pointer: pointerOf(path), message }
}

const NO_JOB: Fault = { pointer: '/jobId', message: 'must be the id of a job' }

/** zod leaves this key out of what it takes for an open object, and would so accept it without a word. */
function prototypeFaults(input: Fields): Fault[] {
  return Object.hasOwn(input, '__proto__') ? [{ pointer: '/__proto__', message: 'is not a known field' }] : []
}

function invalid(faults: readonly Fault[]): Refusal {
  return new Refusal('invalid', 'The item is not what this request takes; see errors.', faults)
}
