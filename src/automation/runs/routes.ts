import { Hono } from 'hono'
import type { Env } from '../../http/policy.ts'
import { jobRoutes } from './routes/jobs.ts'
import { logRoutes } from './routes/log.ts'
import { orderRoutes } from './routes/orders.ts'
import { outputRoutes } from './routes/outputs.ts'
import { runnerRoutes } from './runners/routes.ts'

export const runRoutes = new Hono<Env>()
  .route('/', orderRoutes)
  .route('/', jobRoutes)
  .route('/', logRoutes)
  .route('/', outputRoutes)
  .route('/', runnerRoutes)
