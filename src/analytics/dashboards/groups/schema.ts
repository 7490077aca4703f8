import * as z from 'zod'
import { timestamp } from '../../../http/instants.ts'
import { flagQuery, shownOnly } from '../../../http/openapi-answers.ts'
import { composedName } from '../../../http/text-schemas.ts'
import { parameterValues } from '../parts.ts'

export const GROUPS_MAX = 1_000
export const DEPTH_MAX = 8

export const deletionQuery = z.object({
  recursive: flagQuery
    .default(false)
    .describe('true: delete the groups below and all dashboards in them as well.'),
  forceDelete: flagQuery.default(false),
})

const parentId = z.int().positive().nullable()
const defaultParams = parameterValues.describe(
  'Values of parameters, for the dashboards in the group and in the groups below it.',
)

export const groupBody = z
  .strictObject({
    id: shownOnly,
    permissions: shownOnly,
    effectiveParams: shownOnly,
    createdAt: shownOnly,
    updatedAt: shownOnly,
    name: composedName.describe('No other group of this parent has it, in any letter case.'),
    parentId: parentId
      .default(null)
      .describe('The group around it; null for none. Another one moves the group.'),
    position: z.int().min(0).max(1_000_000).default(0).describe('The order among the groups of the parent.'),
    defaultParams: defaultParams.default({}),
  })
  .meta({ examples: [{ name: 'Plant north', defaultParams: { region: 'north' } }] })

export const permissionsView = z.object({ read: z.boolean(), write: z.boolean(), execute: z.boolean() })

export const groupView = z
  .object({
    id: z.int(),
    name: z.string(),
    parentId: parentId.describe('The group around it; null for none.'),
    position: z.int(),
    defaultParams: defaultParams.meta({ examples: [{ region: 'north' }] }),
    effectiveParams: parameterValues
      .describe('The values of the group and of the groups above.')
      .meta({ examples: [{ region: 'north' }] }),
    permissions: permissionsView,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'DashboardGroup' })

const nestedDashboard = z.object({
  id: z.int(),
  name: z.string(),
  urlName: z.string(),
  version: z.int(),
  valid: z.boolean(),
  public: z.boolean().describe('Whether it has a public link that has not ended.'),
  permissions: permissionsView,
})

const nestedShape = {
  id: z.int(),
  name: z.string(),
  parentId,
  position: z.int(),
  defaultParams: groupView.shape.defaultParams,
  effectiveParams: groupView.shape.effectiveParams,
  permissions: permissionsView,
  dashboards: z.array(nestedDashboard),
}

/** Specification: the group response of `/dashboards/groups/nested`. */
export type NestedGroup = z.output<z.ZodObject<typeof nestedShape>> & { readonly groups: NestedGroup[] }

export const nestedGroup: z.ZodType<NestedGroup> = z
  .object({ ...nestedShape, groups: z.array(z.lazy(() => nestedGroup)).meta({ examples: [[]] }) })
  .meta({ id: 'NestedDashboardGroup' })

export type GroupBody = z.output<typeof groupBody>
export type GroupView = z.output<typeof groupView>
export type NestedDashboard = z.output<typeof nestedDashboard>
