import { Hono } from 'hono'
import type { Env } from '../../http/policy.ts'
import { outboxRoutes } from './outbox/routes.ts'
import { recipientRoutes } from './recipients/routes.ts'

export const notificationRoutes = new Hono<Env>().route('/', recipientRoutes).route('/', outboxRoutes)
