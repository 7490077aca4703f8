import * as z from 'zod'
import { withoutRepeats } from '../../http/lists.ts'
import { READ_ONLY, shownOnly } from '../../http/openapi-answers.ts'
import { nameSchema, storableText } from '../../http/text-schemas.ts'
import { STATES } from '../../domain/state.ts'

export const OBJECT_TYPES = ['group', 'device', 'job', 'slo', 'slc'] as const
export type ObjectType = (typeof OBJECT_TYPES)[number]

/** The types as texts name them. */
export const OBJECT_NOUNS: Readonly<Record<ObjectType, string>> = {
  group: 'group',
  device: 'device',
  job: 'job',
  slo: 'service level object',
  slc: 'service level container',
}

const INSTANCE_TYPES = ['none', 'instance', 'sub'] as const
const PROPERTIES_MAX = 200
const PARAMETER_MAX_BYTES = 16 * 1024

const propertyKey = storableText.min(1).max(255)
const propertyValue = storableText.max(4000)

const properties = z
  .array(z.strictObject({ id: z.int().optional(), key: propertyKey, value: propertyValue }))
  .max(PROPERTIES_MAX)
  .superRefine(withoutRepeats('key'))

export const permissionsView = z.object({
  read: z.boolean(),
  write: z.boolean(),
  execute: z.boolean(),
  maintain: z.boolean(),
})

/** An object in a list that has objects of several places in the tree. */
export const listedObject = z.object({
  id: z.int(),
  type: z.enum(OBJECT_TYPES),
  name: z.string(),
  path: z.string().describe('The path from the root group, without the root group’s name.'),
})

/** The body fields of all objects (specification: Common object fields). Read-only fields are ignored, so that a read
 * can be sent back unchanged. */
export const objectBodyShape = {
  id: z.int().optional().meta(READ_ONLY),
  type: z.string().optional().meta(READ_ONLY),
  subType: z
    .string()
    .max(64)
    .regex(/^[\w.-]+$/, 'must have only letters, digits, underscores, dots and hyphens')
    .optional(),
  name: nameSchema,
  permissions: z.looseObject({}).optional().meta(READ_ONLY),
  properties: properties
    .default([])
    .describe('The properties of the object. A property with an unchanged key keeps its id.'),
  isTemplate: z.boolean().default(false),
  instanceType: z
    .enum(INSTANCE_TYPES)
    .optional()
    .describe('If absent, the value stays unchanged; a new object has `none`.'),
  parentId: z
    .int()
    .positive()
    .nullable()
    .optional()
    .describe('The parent object. A different parent moves the object.'),
  templateId: z.int().nullable().optional().meta(READ_ONLY),
}

/** The view fields of all objects. */
export const objectViewShape = {
  id: z.int(),
  type: z.enum(OBJECT_TYPES),
  subType: z.string(),
  name: z.string(),
  permissions: permissionsView.describe('The rights of the caller on the object.'),
  properties: z.array(z.object({ id: z.int(), key: z.string(), value: z.string() })),
  isTemplate: z.boolean(),
  instanceType: z.enum(INSTANCE_TYPES),
  parentId: z.int().nullable().describe('The parent object; null for the root group.'),
  templateId: z.int().nullable().describe('The template of this object, if it was copied as an instance.'),
}

/** The causes of the state of an object whose state follows from its children. */
export const reasonsView = z
  .array(z.object({ type: z.enum(OBJECT_TYPES), id: z.int(), name: z.string(), state: z.enum(STATES) }))
  .describe('The cause of the state: jobs below the object, or objects whose `isReason` is true; at most 20.')

export const groupBody = z.strictObject({
  ...objectBodyShape,
  hasChildren: z.boolean().optional().meta(READ_ONLY),
  reasons: shownOnly,
})

export const groupView = z
  .object({ ...objectViewShape, hasChildren: z.boolean(), reasons: reasonsView })
  .meta({ id: 'Group' })

/** Specification: Device. */
export const deviceBody = z.strictObject({
  ...objectBodyShape,
  address: storableText.max(255).default(''),
  netmask: storableText.max(255).default(''),
  deviceName: storableText.max(255).default(''),
  parameter: z
    .record(storableText, z.unknown())
    .refine(isSmall, `must be at most ${PARAMETER_MAX_BYTES} bytes of JSON`)
    .default({}),
  collectorId: z
    .int()
    .min(0)
    .default(0)
    .describe('The user with the role collector whose deliveries the jobs accept; 0 for any.'),
  hasChildren: z.boolean().optional().meta(READ_ONLY),
  reasons: shownOnly,
})

export const deviceView = z
  .object({
    ...objectViewShape,
    address: z.string(),
    netmask: z.string(),
    deviceName: z.string(),
    parameter: z.record(z.string(), z.unknown()),
    collectorId: z.int(),
    hasChildren: z.boolean(),
    reasons: reasonsView,
  })
  .meta({ id: 'Device' })

export type GroupBody = z.infer<typeof groupBody>
export type GroupView = z.infer<typeof groupView>
export type DeviceBody = z.infer<typeof deviceBody>
export type DeviceView = z.infer<typeof deviceView>
export type PropertyBody = { readonly key: string; readonly value: string }
export type Reasons = z.infer<typeof reasonsView>
export type CommonBody = Omit<GroupBody, 'hasChildren' | 'reasons'>
export type CommonView = Omit<GroupView, 'hasChildren' | 'reasons'>

function isSmall(parameter: object): boolean {
  try {
    return new TextEncoder().encode(JSON.stringify(parameter)).byteLength <= PARAMETER_MAX_BYTES
  } catch {
    // Too deeply nested for the serialiser.
    return false
  }
}
