import * as z from 'zod'
import { ROLES } from '../../context.ts'
import { isTimeZone } from '../../lib/time.ts'

const PASSWORD_MIN = 8
export const passwordSchema = z.string().min(PASSWORD_MIN).max(1024)
export const usernameSchema = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .regex(/^[^\p{Cc}:]+$/u, 'must have no colon and no control characters')

/** Specification: Users and user groups. */
export const userBody = z.strictObject({
  username: usernameSchema,
  password: passwordSchema.optional(),
  role: z.enum(ROLES),
  fullname: z.string().max(255).default(''),
  email: z.string().max(255).default(''),
  phone: z.string().max(64).default(''),
  startDashboardId: z.int().positive().nullable().default(null),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'must be a language tag such as en')
    .default('en'),
  timeZone: z.string().max(64).refine(isTimeZone, 'is not a known time zone').default('UTC'),
  // What a read answers beyond the fields above may be sent back unchanged.
  id: z.int().optional(),
  name: z.string().optional(),
  type: z.string().optional(),
})

export const newUserBody = userBody.required({ password: true })

export const userView = z
  .object({
    id: z.int(),
    name: z.string().describe('The username.'),
    role: z.enum(ROLES),
    type: z.string().describe('`local`.'),
    username: z.string(),
    fullname: z.string(),
    email: z.string().optional().describe('For administrators and oneself.'),
    phone: z.string().optional().describe('For administrators and oneself.'),
    startDashboardId: z.int().nullable(),
    language: z.string(),
    timeZone: z.string(),
  })
  .meta({ id: 'User' })

export type UserBody = z.infer<typeof userBody>
export type UserView = z.infer<typeof userView>
