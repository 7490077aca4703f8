import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { SCOPES } from '../../context.ts'
import { idParam } from '../../http/openapi-answers.ts'
import { languageTag } from '../../http/text-schemas.ts'
import {
  keepTokens,
  listQuery,
  passwordSchema,
  timeZoneSchema,
  usernameSchema,
  userView,
} from '../users/schema.ts'
import { codeSchema } from './mfa/schema.ts'

const given = z.string().min(1).max(1024)

export const credentialsSchema = z.strictObject({
  username: given,
  password: given,
  code: codeSchema.optional().describe('A code of the authenticator, or a recovery code, if MFA is active.'),
})
const cookieField = z
  .boolean()
  .optional()
  .describe(
    'True for pages of this service: `refreshToken` is set as an HttpOnly cookie for POST /session/refresh, and the response has neither `refreshToken` nor `sessionId`. Default: false.',
  )
export const loginBody = credentialsSchema.extend({ cookie: cookieField })
export const sessionIdQuery = z.object({
  sessionId: given.optional().describe('The session to end; default: the session of the call.'),
})
export const logoutBody = z
  .strictObject({
    sessionId: given.optional().describe('The session to end; default: the session of the call.'),
    everywhere: z.boolean().optional().describe('True: end all sessions of the caller. Default: false.'),
  })
  .refine(({ sessionId, everywhere }) => sessionId === undefined || !everywhere, {
    path: ['everywhere'],
    error: 'must be absent beside sessionId',
  })
export const setupQuery = z.object({ token: given })
export const setupBody = z.strictObject({
  token: given,
  username: usernameSchema,
  password: passwordSchema,
  language: languageTag
    .optional()
    .describe('The language of the administrator and the default of the installation. Default: en.'),
  timeZone: timeZoneSchema
    .optional()
    .describe('The time zone of the administrator. Default: the time zone of the service.'),
  content: z
    .enum(['empty', 'demo'])
    .default('empty')
    .describe(
      'The first objects: `demo` makes the demo plant, as POST /demo does; `empty` leaves the installation as it is.',
    ),
})

export const refreshBody = z.strictObject({
  refreshToken: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('The refresh token; default: the one in the cookie of a login with `cookie: true`.'),
})
export const passwordBody = z.strictObject({
  currentPassword: given,
  newPassword: passwordSchema,
  keepTokens,
})
export const ownerQuery = z.object({
  userId: idParam.optional().describe('The user whose items are listed; default: the caller.'),
})
export const sessionsQuery = listQuery.extend(ownerQuery.shape)
export const sessionPath = z.object({ id: z.string().max(64) })

export const tokenView = z.object({
  accessToken: z.string(),
  tokenType: z
    .literal('Baerer')
    .describe('The authorization scheme, spelled as in the specification; `Bearer` is accepted too.'),
  expiresIn: z.int().describe('Seconds.'),
})

export const refreshView = tokenView.extend({
  refreshToken: z
    .string()
    .optional()
    .describe(
      'Valid for one POST /session/refresh while the session is open; absent if a cookie carries it.',
    ),
})

const owed = z
  .enum(['mfa', 'password'])
  .nullable()
  .describe(
    'The action that the user must complete before the session can be used for anything else: set up MFA, or change the password.',
  )

export const sessionView = refreshView.extend({
  sessionId: z.string().optional().describe('Absent if a cookie was requested.'),
  expiresAt: timestamp.describe('The end of the session, 24 hours after the login.'),
  owed,
})

export const sessionItem = z
  .object({
    id: z.string().describe('The id of the session; it cannot be used to sign in.'),
    userId: z.int(),
    createdAt: timestamp,
    expiresAt: timestamp,
    address: z.string(),
    agent: z.string(),
    isCurrent: z.boolean(),
  })
  .meta({ id: 'Session' })

/** Shapes inside are the console's own. */
export const preferencesBody = z.record(z.string(), z.unknown())

export const callerView = z
  .object({
    user: userView,
    owed,
    scopes: z.array(z.enum(SCOPES)).describe('The scopes of the credentials, within the role of the user.'),
    session: sessionItem
      .pick({ id: true, expiresAt: true })
      .nullable()
      .describe('The session of the call; null for a call without a session.'),
    preferences: preferencesBody.describe('The preferences of the user; an empty object at first.'),
  })
  .meta({ id: 'Caller' })

export type CallerView = z.infer<typeof callerView>
export type SessionItem = z.infer<typeof sessionItem>
export type SetupBody = z.infer<typeof setupBody>
