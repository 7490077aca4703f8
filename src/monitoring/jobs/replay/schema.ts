import * as z from 'zod'
import { instantQuery, timestamp } from '../../../http/instants.ts'
import { positiveDuration, thresholdsSchema } from '../../job-config/schema.ts'
import { STATES } from '../../../domain/state.ts'
import { LEVELS } from '../../states/state.ts'

export const SPANS_MAX = 1_000

export const replayBody = z
  .strictObject({
    thresholds: thresholdsSchema
      .optional()
      .describe('The proposed thresholds. Default: the thresholds of the job.'),
    timeout: positiveDuration
      .nullable()
      .optional()
      .describe('The proposed timeout, null for none. Default: the timeout of the job.'),
    begin: instantQuery.optional().describe('The start of the range. Default: 30 days before its end.'),
    end: instantQuery
      .optional()
      .describe(
        'The end of the range, at most 90 days after its start, and now at the latest. Default: now.',
      ),
  })
  .meta({
    id: 'ReplayRequest',
    examples: [
      {
        thresholds: {
          major: { conditions: [{ key: 'returnValue1', operator: '>', value: 8 }] },
        },
        timeout: 'PT15M',
        begin: '2026-03-01T00:00:00Z',
        end: '2026-03-08T00:00:00Z',
      },
    ],
  })

const times = z.int().describe('How often the state reached this level from below.')

export const replayView = z
  .object({
    begin: timestamp.describe(
      'When the replay begins: at its start, or at the first value if the range begins before all values.',
    ),
    end: timestamp,
    about: z
      .boolean()
      .describe(
        'True if the answer is an approximation: from the least, the greatest and the last value of each summary, or without the timeout.',
      ),
    values: z.int().describe('The number of instants with values that were replayed.'),
    seconds: z
      .object({
        ok: z.number(),
        warning: z.number(),
        minor: z.number(),
        major: z.number(),
        no_data: z.number(),
      })
      .describe('The time in each state.'),
    alarms: z
      .object({ warning: times, minor: times, major: times })
      .describe('The alarms that an alarm link would have opened, by its minimum state; without a delay.'),
    thresholds: z
      .array(
        z.object({
          level: z.enum(LEVELS),
          key: z.string(),
          operator: z.string(),
          value: z.union([z.number(), z.string()]),
          crossings: z.int().describe('How often the condition began to hold.'),
        }),
      )
      .describe('The conditions, worst level first.'),
    spans: z
      .array(z.object({ state: z.enum(STATES), begin: timestamp, end: timestamp }))
      .describe(`The first ${SPANS_MAX} spans of one state, by time.`),
    moreSpans: z.boolean().describe('True if there are more spans.'),
  })
  .meta({
    id: 'Replay',
    examples: [
      {
        begin: '2026-03-01T01:00:00.000+01:00',
        end: '2026-03-08T01:00:00.000+01:00',
        about: false,
        values: 2_016,
        seconds: { ok: 604_200, warning: 0, minor: 0, major: 600, no_data: 0 },
        alarms: { warning: 1, minor: 1, major: 1 },
        thresholds: [{ level: 'major', key: 'returnValue1', operator: '>', value: 8, crossings: 1 }],
        spans: [
          { state: 'ok', begin: '2026-03-01T01:00:00.000+01:00', end: '2026-03-03T14:20:00.000+01:00' },
          { state: 'major', begin: '2026-03-03T14:20:00.000+01:00', end: '2026-03-03T14:30:00.000+01:00' },
          { state: 'ok', begin: '2026-03-03T14:30:00.000+01:00', end: '2026-03-08T01:00:00.000+01:00' },
        ],
        moreSpans: false,
      },
    ],
  })

export type ReplayBody = z.infer<typeof replayBody>
export type ReplayView = z.infer<typeof replayView>
