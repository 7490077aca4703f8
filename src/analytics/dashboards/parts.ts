import * as z from 'zod'
import { isLookback, isTemporalDuration } from '../../lib/duration.ts'
import { nameSchema, storableText } from '../../http/text-schemas.ts'

const TITLE_MAX = 255
const TEXT_MAX = 4_000
const VALUES_MAX = 200
const URL_MAX = 2_000
/** A name of a parameter or an id of a widget or a page, which are keys of translations. */
const WORD = /^[A-Za-z][\w-]{0,39}$/

export const word = z
  .string()
  .regex(WORD, 'must begin with a letter and have at most 40 letters, digits, _ and -')

export const id = z.int().positive()
export const reference = id
  .nullable()
  .describe('Null where an import did not find it; the problems of the dashboard list it.')

export const title = storableText.max(TITLE_MAX).default('')
export const text = storableText.max(TEXT_MAX).default('')
export const fileName = nameSchema

export const scalar = z.union([storableText.max(TEXT_MAX), z.number(), z.boolean()])

/** The value of a parameter; null for none. */
export const parameterValue = z.union([scalar, z.array(scalar).max(VALUES_MAX)]).nullable()
export type ParameterValue = z.output<typeof parameterValue>

export const parameterValues = z
  .record(word, parameterValue)
  .refine((values) => Object.keys(values).length <= 50, 'must have at most 50 values')

/** `now`, an instant, or a duration before the end such as `-P1D`. */
const RELATIVE = /^-P/

export const timeRange = z
  .strictObject({
    from: storableText
      .max(64)
      .refine(isBegin, 'must be an instant, or a negative ISO 8601 duration before `to`')
      .refine(
        (begin) => !isTemporalDuration(begin.slice(1)) || isLookback(begin.slice(1)),
        'must be at least -P1000Y',
      )
      .default('-P1D'),
    to: storableText.max(64).refine(isEnd, 'must be `now` or an instant').default('now'),
  })
  .describe(
    'The range of histories: `to` is `now` or an instant, `from` an instant or a duration before `to`.',
  )
  .meta({ examples: [{ from: '-P1D', to: 'now' }] })

export type TimeRange = z.output<typeof timeRange>

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/

function isEnd(value: string): boolean {
  return value === 'now' || (INSTANT.test(value) && !Number.isNaN(Date.parse(value)))
}

function isBegin(value: string): boolean {
  if (RELATIVE.test(value)) return isTemporalDuration(value.slice(1)) && value !== '-PT0S'
  return value !== 'now' && isEnd(value)
}

export const link = z
  .union([
    z.strictObject({ dashboardId: reference, params: parameterValues.default({}) }),
    z.strictObject({
      url: storableText
        .max(URL_MAX)
        .regex(/^(?:https?:\/\/|mailto:|\/(?!\/))/, 'must begin with https://, http://, mailto: or /'),
    }),
  ])
  .describe('The dashboard or the address that the widget leads to.')

export const hideWhen = z
  .strictObject({ parameter: word, op: z.enum(['eq', 'ne']), value: parameterValue })
  .describe('Hides the widget while the comparison holds.')
