import * as z from 'zod'
import { STATES } from '../../../domain/state.ts'
import { storableText } from '../../../http/text-schemas.ts'
import { linkCursor } from '../../../http/paging.ts'
import { OBJECT_TYPES, permissionsView } from '../schema.ts'
import { ITEMS, OPERATORS } from './items.ts'
import type { Item } from './items.ts'

/** The maximum number of items per page. */
export const LIMIT_MAX = 10_000
/** The maximum length of a filter as text. */
export const FILTER_MAX = 64 * 1024
/** The maximum length of a filter in a query: a URL has 16 KiB. */
const QUERY_FILTER_MAX = 15_000
const CONDITIONS_MAX = 50
const TEXT_MAX = 4000

/** A whole list, or a page of it: `limit` items after `cursor`. */
export const pageQuery = {
  limit: limitText(LIMIT_MAX)
    .optional()
    .describe('The number of items per page. If absent, the answer has the whole list.'),
  cursor: linkCursor,
}

export const listQuery = z.object(pageQuery)

export const searchQuery = z.object({
  filterDefinition: z
    .string()
    .max(QUERY_FILTER_MAX)
    .describe(
      'A filter definition as JSON text: `{type, mode, conditions: [{item, operator, expression, propertyKey, value}]}`.',
    ),
  ...pageQuery,
})

const text = storableText.max(TEXT_MAX)

/** The conditions of a filter on these items, and how they are combined. */
export function conditionsOf<Name extends z.ZodType>(item: Name) {
  return {
    mode: z.enum(['and', 'or']).default('and'),
    conditions: z
      .array(
        z.strictObject({
          item,
          operator: z.enum(OPERATORS),
          expression: text.nullish(),
          propertyKey: text.nullish(),
          value: text.nullish(),
        }),
      )
      .max(CONDITIONS_MAX)
      .default([]),
  }
}

/** Specification: Filter definition. */
export const filterDefinition = z.strictObject({
  type: z.enum(OBJECT_TYPES).nullish(),
  ...conditionsOf(z.enum(Object.keys(ITEMS) as [Item, ...Item[]])),
})

export type FilterDefinition = z.infer<typeof filterDefinition>

export const searchView = z
  .object({
    items: z.array(
      z.object({
        id: z.int(),
        type: z.enum(OBJECT_TYPES),
        subType: z.string(),
        name: z.string(),
        parentId: z.int().nullable(),
        isTemplate: z.boolean(),
        permissions: permissionsView,
        state: z.enum(STATES),
        deviceName: z.string().optional().describe('The name of the device; for jobs only.'),
      }),
    ),
  })
  .meta({ id: 'Search' })

export type SearchView = z.infer<typeof searchView>

/** The `limit` parameter of a page. */
export function pageLimit(max: number, otherwise: number) {
  return limitText(max).default(otherwise)
}

function limitText(max: number) {
  return z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= max, `must be 1 to ${max}`)
    .meta({ type: 'integer' })
}
