import * as z from 'zod'
import { passwordSchema, usernameSchema } from '../users/schema.ts'

const given = z.string().min(1).max(1024)

export const credentialsSchema = z.strictObject({ username: given, password: given })
export const sessionIdQuery = z.object({ sessionId: given })
export const logoutBody = z.strictObject({ sessionId: given.optional() })
export const setupQuery = z.object({ token: given })
export const setupBody = z.strictObject({ token: given, username: usernameSchema, password: passwordSchema })

export const sessionView = z.object({
  sessionId: z.string(),
  expiresAt: z.iso.datetime({ offset: true }).describe('24 hours after the login.'),
})

export const tokenView = z.object({
  accessToken: z.string(),
  tokenType: z
    .literal('Baerer')
    .describe('The scheme word as the interface spells it; `Bearer` is taken as well.'),
  expiresIn: z.int().describe('Seconds.'),
})
