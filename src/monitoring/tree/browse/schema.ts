import * as z from 'zod'
import { idParam } from '../../../http/openapi-answers.ts'
import { STATES } from '../../../domain/state.ts'
import { listedObject, OBJECT_TYPES, permissionsView } from '../schema.ts'
import type { ObjectType } from '../schema.ts'
import { LIMIT_MAX, pageLimit } from '../search/schema.ts'

const PATH_MAX = 4096
const SEGMENTS =
  'Names separated by `/`. Write `\\/` for a slash in a name and `\\*` for an asterisk. `*` in a name matches any text, `**` any number of levels.'

/** The type of the parent in a path, singular or plural. */
const parentType = z
  .enum(['group', 'groups', 'device', 'devices', 'job', 'jobs', 'slo', 'slos', 'slc', 'slcs'])
  .transform((text) => text.replace(/s$/, '') as ObjectType)
  .meta({ type: 'string' })

export const parentPath = z.object({ parentType, parentId: idParam })
export type ParentPath = z.infer<typeof parentPath>

export const childrenView = z
  .object({
    items: z.array(
      z.object({
        id: z.int(),
        type: z.enum(OBJECT_TYPES),
        subType: z.string(),
        name: z.string(),
        state: z.enum(STATES),
        hasChildren: z.boolean(),
        position: z.int().describe('The position among the children, from 1.'),
        by: z
          .enum(['tree', 'link', 'filter'])
          .describe('How the object became a child: by its place in the tree, by a link, or by a filter.'),
        weight: z
          .int()
          .optional()
          .describe('How many children the child counts as; absent for a child by its place in the tree.'),
        stateOverrides: z
          .partialRecord(z.enum(STATES), z.enum(STATES))
          .optional()
          .describe('For a state of the child, the state that counts instead; absent as `weight`.'),
      }),
    ),
  })
  .meta({ id: 'Children' })

export type ChildrenView = z.infer<typeof childrenView>

export const searchPathQuery = z.object({
  path: z.string().max(PATH_MAX).describe(SEGMENTS),
  type: z.enum(OBJECT_TYPES).optional(),
  limit: pageLimit(LIMIT_MAX, 1_000),
})

export const searchPathBody = z.strictObject({
  path: z.string().max(PATH_MAX).describe(SEGMENTS),
  type: z.enum(OBJECT_TYPES).nullish(),
  limit: z.int().min(1).max(LIMIT_MAX).default(1_000),
})

export const searchPathView = z
  .object({
    items: z.array(listedObject),
    truncated: z.boolean().describe('Whether more objects match than `limit`.'),
  })
  .meta({ id: 'SearchPath' })

export type SearchPathView = z.infer<typeof searchPathView>

const FIELDS = [
  'subType',
  'name',
  'state',
  'worstChild',
  'counts',
  'hasChildren',
  'permissions',
  'children',
] as const
export type NodeField = (typeof FIELDS)[number]

export const treeQuery = z.object({
  depth: z
    .string()
    .regex(/^(?:[1-8]|all)$/, 'must be 1 to 8 or all')
    .default('1')
    .transform((text) => (text === 'all' ? null : Number(text)))
    .meta({ type: 'string', default: '1' })
    .describe('How many levels below the parent are returned.'),
  types: listOf(OBJECT_TYPES).describe(
    'The types to return. Objects below an omitted object are omitted too.',
  ),
  states: listOf(STATES).describe(
    'Only objects that are in one of these states, or that have a job below them in one of these states.',
  ),
  fields: listOf(['id', 'type', ...FIELDS]).describe(
    'The fields to return; `id` and `type` are always returned.',
  ),
})

export type TreeQuery = z.infer<typeof treeQuery>

export type TreeNode = {
  id: number
  type: ObjectType
  subType?: string | undefined
  name?: string | undefined
  state?: (typeof STATES)[number] | undefined
  worstChild?: (typeof STATES)[number] | null | undefined
  counts?: Record<string, number> | undefined
  hasChildren?: boolean | undefined
  permissions?: z.infer<typeof permissionsView> | undefined
  children?: TreeNode[] | undefined
}

export const treeNode: z.ZodType<TreeNode> = z
  .object({
    id: z.int(),
    type: z.enum(OBJECT_TYPES),
    subType: z.string().optional(),
    name: z.string().optional(),
    state: z.enum(STATES).optional(),
    worstChild: z
      .enum(STATES)
      .nullable()
      .optional()
      .describe('The worst state of the jobs below; null without jobs.'),
    counts: z.record(z.string(), z.int()).optional().describe('The number of jobs below in each state.'),
    hasChildren: z.boolean().optional(),
    permissions: permissionsView.optional(),
    get children() {
      return z
        .array(treeNode)
        .optional()
        .describe('The children. Absent if the depth ended here; empty for an object without children.')
    },
  })
  .meta({ id: 'TreeNode' })

/** Names of a set, separated by commas. */
export function listOf<const Name extends string>(names: readonly Name[]) {
  const known: ReadonlySet<string> = new Set(names)
  return z
    .string()
    .max(1024)
    .transform((text) => text.split(',').map((name) => name.trim()))
    .refine(
      (list): list is Name[] => list.every((name) => known.has(name)),
      `must be a comma-separated list of ${names.join(', ')}`,
    )
    .meta({ type: 'string' })
    .optional()
}
