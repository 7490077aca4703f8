import * as z from 'zod'
import { storableText } from '../../http/text-schemas.ts'
import { DEPTH_MAX } from './limits.ts'
import type { Filter } from './filter.ts'

const PARTS_MAX = 500
const TEXT_MAX = 10_000

const value = z.union([storableText.max(TEXT_MAX), z.number(), z.boolean()])
const column = storableText.min(1).max(255).describe('The name of a column.')
const expr = storableText
  .min(1)
  .max(TEXT_MAX)
  .describe('An expression over columns, such as `"unit price" * qty`.')
const match = storableText
  .max(TEXT_MAX)
  .describe('A condition in short form, such as `OR(nor%,AND(>=b,<c))`.')
const operation = {
  op: z.enum([
    'eq',
    'ne',
    'gt',
    'ge',
    'lt',
    'le',
    'between',
    'in',
    'like',
    'contains',
    'starts_with',
    'ends_with',
    'is_null',
  ]),
  value: value
    .optional()
    .describe('The value that the column is compared with. In the one of `like`, `%` stands for any text.'),
  values: z.array(value).max(PARTS_MAX).optional().describe('The values of `in`, or both ends of `between`.'),
}

/** The forms of a comparison by the fields that tell them apart. */
const COMPARISONS = [
  ['match', 'column', z.strictObject({ column, match })],
  ['match', 'expr', z.strictObject({ expr, match })],
  ['op', 'column', z.strictObject({ column, ...operation })],
  ['op', 'expr', z.strictObject({ expr, ...operation })],
] as const

const parts = z.array(z.lazy((): z.ZodType<Filter> => node)).max(PARTS_MAX)
const node: z.ZodType<Filter> = z
  .union([
    ...COMPARISONS.map(([, , form]) => form),
    z.strictObject({ and: parts }),
    z.strictObject({ or: parts }),
    z.strictObject({ not: z.lazy((): z.ZodType<Filter> => node) }),
  ])
  .meta({
    id: 'Filter',
    description: `A condition on rows: at most ${DEPTH_MAX} operators within each other, and 500 values.`,
    examples: [
      {
        and: [
          { column: 'region', op: 'eq', value: 'north' },
          { column: 'qty', match: '>=10' },
        ],
      },
    ],
  })

/** A filter in a request; `conditionOf` checks it against columns. */
export const filterSchema = z.preprocess((input, context) => {
  const issues = issuesIn(input, [])
  for (const issue of issues) context.addIssue(issue)
  return issues.length > 0 ? z.NEVER : input
}, node)

type Path = readonly (string | number)[]
type Issue = {
  readonly code: 'custom'
  readonly input: unknown
  readonly path: (string | number)[]
  readonly message: string
}

/** The faults of comparisons at their own places, where the union has one for the whole filter. It also bounds the recursion
 * of the schema. */
function issuesIn(input: unknown, path: Path, depth = 0): readonly Issue[] {
  if (depth > DEPTH_MAX) return issueAt(path, input, `is deeper than ${DEPTH_MAX} operators`)
  if (typeof input !== 'object' || input === null) return issueAt(path, input, 'must be an object')
  const { and, or, not } = input as Readonly<Record<string, unknown>>
  if (not !== undefined) return issuesIn(not, [...path, 'not'], depth + 1)
  const [key, list] = and === undefined ? ['or', or] : ['and', and]
  if (list === undefined) return comparisonIssues(input, path)
  if (!Array.isArray(list)) return issueAt([...path, String(key)], input, 'must be a list')
  return list.flatMap((part: unknown, index) => issuesIn(part, [...path, String(key), index], depth + 1))
}

function comparisonIssues(input: object, path: Path): readonly Issue[] {
  const [, , form] = COMPARISONS.find(([kind, subject]) => kind in input && subject in input) ?? []
  if (!form) return issueAt(path, input, 'must have and, or, not, or a column or expr with op or match')
  const { error } = form.safeParse(input)
  return (error?.issues ?? []).flatMap((issue) =>
    issueAt([...path, ...issue.path.map(String)], input, issue.message),
  )
}

function issueAt(path: Path, input: unknown, message: string): readonly Issue[] {
  return [{ code: 'custom', input, path: [...path], message }]
}
