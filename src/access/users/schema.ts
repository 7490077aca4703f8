import * as z from 'zod'
import { withoutRepeats } from '../../http/lists.ts'
import { READ_ONLY } from '../../http/openapi-answers.ts'
import { storableText } from '../../http/text-schemas.ts'
import { linkCursor, pageLimit } from '../../http/paging.ts'
import { ROLES } from '../../context.ts'
import { isTimeZone } from '../../lib/time.ts'
import { USER_TYPES } from './changes.ts'
import { lookalikeFault } from './names.ts'
import { isJsonObject } from '../../lib/json.ts'

const PASSWORD_MIN = 8
export const passwordSchema = z.string().min(PASSWORD_MIN).max(1024)
export const usernameSchema = storableText
  .trim()
  .min(1)
  .max(255)
  .regex(/^[^\p{Cc}:]+$/u, 'must have no colon and no control characters')
  .superRefine((name, context) => {
    const message = lookalikeFault(name)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })

export const timeZoneSchema = z.string().max(64).refine(isTimeZone, 'is not a known time zone')

const ADDRESS_MAX = 254
const ADDRESS_FAULT = 'must be an address such as ops@example.org'
/** One mail address. */
export const mailAddress = z.email(ADDRESS_FAULT).max(ADDRESS_MAX)
export const NAME_FAULT = 'must be the same as username, or absent'

/** A field that users and user groups had until release 9.0.1 of the specification. */
export const visuallyImpaired = z
  .never('was removed from the interface')
  .optional()
  .describe('Removed from the interface; sending it is an error.')

/** The maximum number of items in a page of users or of their sessions. */
export const LIST_MAX = 1_000

export const listQuery = z.object({
  limit: pageLimit(LIST_MAX)
    .optional()
    .describe('The number of items per page. If absent, the answer has the whole list.'),
  cursor: linkCursor,
})

const PROPERTIES_MAX = 100

const userProperties = z
  .array(z.strictObject({ key: storableText.min(1).max(255), value: storableText.min(1).max(1_000) }))
  .max(PROPERTIES_MAX)
  .superRefine(withoutRepeats('key'))
  .describe(
    'Keys and values that the filters of data source scopes refer to. Only administrators change them.',
  )

/** Specification: Users and user groups. */
const fields = z.strictObject({
  username: usernameSchema,
  password: passwordSchema,
  role: z.enum(ROLES),
  type: z.enum(USER_TYPES),
  fullname: storableText.max(255),
  email: storableText
    .max(ADDRESS_MAX)
    .refine((text) => text === '' || mailAddress.safeParse(text).success, ADDRESS_FAULT),
  phone: storableText.max(64),
  startDashboardId: z.int().positive().nullable(),
  language: z.string().regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'must be a language tag such as en'),
  timeZone: timeZoneSchema,
  darkMode: z.boolean(),
  properties: userProperties,
})

/** The other fields of a read may be sent back unchanged. */
const ignored = {
  id: z.int().optional().meta(READ_ONLY),
  name: z.string().trim().optional().meta(READ_ONLY).describe('The username, as in answers.'),
  visuallyImpaired,
}

export const keepTokens = z
  .boolean()
  .optional()
  .describe('Whether personal tokens stay valid after a change of the password. Default: false.')

/** Absent fields stay unchanged. */
export const userBody = fields.partial().extend({
  ...ignored,
  disabled: z
    .boolean()
    .optional()
    .describe(
      'Whether the user is refused everywhere. Disabling ends the sessions and revokes the personal tokens of the user. The directory decides for `LDAP_MANAGED` users.',
    ),
  currentPassword: z
    .string()
    .max(1024)
    .optional()
    .describe("The present password; required to change one's own password, ignored otherwise."),
  keepTokens,
})

export const newUserBody = fields
  .partial()
  .required({ username: true, role: true })
  .extend({ ...ignored, disabled: z.literal(false).optional() })
  .refine((user) => user.type === 'LDAP_MANAGED' || user.password !== undefined, {
    path: ['password'],
    error: 'is missing',
    when: isObject,
  })
  .refine(({ name, username }) => name === undefined || name === username, {
    path: ['name'],
    error: NAME_FAULT,
    when: isObject,
  })
  .refine((user) => user.type !== 'LDAP_MANAGED' || user.password === undefined, {
    path: ['password'],
    error: 'must be absent: the directory has the password',
    when: isObject,
  })
  .meta({ examples: [{ username: 'ada', password: 'correct horse battery', role: 'editor' }] })

export const userView = z
  .object({
    id: z.int(),
    name: z.string().describe('The username.'),
    role: z.enum(ROLES),
    type: z.enum(USER_TYPES),
    username: z.string(),
    fullname: z.string(),
    email: z.string().optional().describe('Shown to administrators and to the user.'),
    phone: z.string().optional().describe('Shown to administrators and to the user.'),
    startDashboardId: z.int().nullable(),
    language: z.string(),
    timeZone: z.string(),
    darkMode: z.boolean(),
    properties: z
      .array(z.object({ key: z.string(), value: z.string() }))
      .optional()
      .describe('Shown to administrators and to the user.'),
    disabled: z
      .boolean()
      .describe(
        'True if an administrator disabled the user, or the directory disabled it or no longer has it; the user cannot sign in.',
      ),
  })
  .meta({ id: 'User' })

export type UserBody = z.infer<typeof userBody>
export type NewUserBody = z.infer<typeof newUserBody>
export type UserView = z.infer<typeof userView>

function isObject({ value }: { readonly value: unknown }): boolean {
  return isJsonObject(value)
}
