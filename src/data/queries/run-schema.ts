import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { COLUMN_TYPES } from '../../domain/table.ts'
import { storableText } from '../../http/text-schemas.ts'
import { durationMs, isFixedDuration } from '../../lib/duration.ts'
import { DAY_MS } from '../../lib/time.ts'
import { waitQuery } from '../../operations/work/schema.ts'
import { checkedAssertions } from './assertion-schema.ts'
import { dataSourceId, escaping, NAME_MAX, parameters, text, value } from './schema.ts'

const LIMIT_DEFAULT = 1_000
const LIMIT_MAX = 100_000
const AGE_MAX_MS = DAY_MS

export const parameterValues = z
  .record(storableText.max(NAME_MAX), value.nullable())
  .default({})
  .describe('Values of parameters by their names. Null stands for none.')
const limit = z
  .int()
  .min(0)
  .max(LIMIT_MAX)
  .default(LIMIT_DEFAULT)
  .describe('The number of rows; further ones are not read.')

const maxAge = z
  .string()
  .max(64)
  .refine((age) => isFixedDuration(age, AGE_MAX_MS), 'must be an ISO 8601 duration of at most a day')
  .default('PT1S')
  .transform(durationMs)
  .describe(
    'How old the result of an equal run may be that is used instead of a new one; `PT0S` for none. Users with other scopes never share a result.',
  )
  .meta({ type: 'string', format: 'duration', examples: ['PT1M'] })

export const runBody = z
  .strictObject({
    parameters: parameterValues,
    limit,
    maxAge,
    check: z.boolean().default(false).describe('Whether the assertions of the data query are checked.'),
    version: z
      .enum(['published', 'draft'])
      .default('published')
      .describe('Whether the latest published version or the draft runs.'),
  })
  .meta({ examples: [{ parameters: { region: 'north' } }] })

export const previewBody = z
  .strictObject({ dataSourceId, text, parameters, escaping, values: parameterValues, limit })
  .meta({ examples: [{ dataSourceId: 1, text: 'SELECT 1 AS one' }] })

export const runQuery = z.object({
  wait: waitQuery('How long to wait for the result; by default 30 seconds. Then the answer is 202.'),
})

export const resultView = z
  .object({
    columns: z.array(
      z.object({
        name: z.string().meta({ examples: ['id'] }),
        type: z.enum(COLUMN_TYPES),
        exact: z.boolean().describe('Whether numbers may be text, because a double would change them.'),
      }),
    ),
    rows: z
      .array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])))
      .describe(
        'Values in the order of the columns; instants are ISO 8601 in UTC. NaN and infinities are null, such as a sum beyond ±1.8e308.',
      )
      .meta({ examples: [[[1, 12.5]]] }),
    rowCount: z.int(),
    truncated: z.boolean().describe('Whether there are more rows than `limit`.'),
    durationMs: z.int().describe('The duration of the statement in milliseconds.'),
    duration: z.string().meta({ format: 'duration', examples: ['PT0.012S'] }),
    cached: z.boolean().describe('Whether it is the result of an equal run.'),
    computedAt: timestamp.describe('When its statement began.'),
    assertions: checkedAssertions,
    refreshedAt: z.iso
      .datetime({ offset: true })
      .nullable()
      .describe('The time of the oldest stored result that was read; null where none was.'),
    age: z.string().nullable().meta({ format: 'duration' }).describe('Its age.'),
  })
  .meta({ id: 'DataQueryResult' })

export type RunBody = z.output<typeof runBody>
export type PreviewBody = z.output<typeof previewBody>
export type ResultView = z.output<typeof resultView>
