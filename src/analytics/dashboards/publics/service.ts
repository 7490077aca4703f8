import { accountOf } from '../../../access/session/service.ts'
import { seal, unseal } from '../../../access/session/keys.ts'
import { userOf } from '../../../access/session/service/callers.ts'
import { hasPublicDashboards } from '../../../content/settings/service.ts'
import { requireUser } from '../../../context.ts'
import type { Context } from '../../../context.ts'
import { sha256 } from '../../../lib/digest.ts'
import { Refusal, invalidAt } from '../../../lib/errors.ts'
import type { Fault } from '../../../lib/errors.ts'
import { pointerOf } from '../../../lib/pointer.ts'
import { base64url } from '../../../lib/text.ts'
import { parseInstant, timeFormat } from '../../../lib/time.ts'
import { commit } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import type { Definition, ParameterType } from '../definition.ts'
import { faultsOfValues } from '../parameters.ts'
import type { DashboardRef } from '../schema.ts'
import { recorded } from '../service/changes.ts'
import { sightsOf } from '../service/rights.ts'
import { requireDashboard } from '../service/views.ts'
import type { PublicBody, PublicView } from './schema.ts'
import * as store from './store.ts'
import type { PublicRow } from './store.ts'

const TOKEN_BYTES = 32
const PURPOSE = 'public dashboard'
/** The types of parameters whose values reveal no other data. */
const ADJUSTABLE: ReadonlySet<ParameterType> = new Set<ParameterType>([
  'enum',
  'boolean',
  'number',
  'date',
  'datetime',
  'duration',
  'timeRange',
])

/** The public link of a dashboard. @throws {Refusal} not_found, also without a link; forbidden */
export async function readPublic(context: Context, ref: DashboardRef): Promise<PublicView> {
  const { row } = await requireDashboard(context, ref, 'write')
  return viewOf(context, await requirePublic(context.ports, row.id))
}

/** Publishes a dashboard with the rights of the caller, or changes its public link.
 * @throws {Refusal} not_found, forbidden, invalid, conflict while public links are switched off */
export async function savePublic(context: Context, ref: DashboardRef, body: PublicBody): Promise<PublicView> {
  const { ports } = context
  const { userId } = requireUser(context)
  const { row, definition } = await requireDashboard(context, ref, 'write')
  if (!(await hasPublicDashboards(ports)))
    throw new Refusal('conflict', 'Public links are switched off: publicDashboards of the settings is false.')
  const now = ports.clock.now()
  const { expiresAt, ...settings } = body
  const until = expiresAt === null ? null : parseInstant(expiresAt)
  if (until !== null && until <= now) throw invalidAt('/expiresAt', 'must be in the future')
  requirePossible(definition, body)
  const before = await store.findPublic(ports.database, row.id)
  const link: PublicRow = {
    ...(before ?? { ...(await newToken(ports)), createdAt: now }),
    dashboardId: row.id,
    userId,
    expiresAt: until,
    settings,
  }
  await commit(ports.database, [
    store.savePublic(ports.database, link),
    recorded(context, 'publish', {
      objectId: row.id,
      after: { expiresAt, userId, ...settings },
    }),
  ])
  // A concurrent request may have published it first: its token is kept.
  return viewOf(context, await requirePublic(ports, row.id))
}

/** Gives the public link a new path; the old one stops working. @throws {Refusal} not_found, forbidden */
export async function movePublic(context: Context, ref: DashboardRef): Promise<PublicView> {
  const { ports } = context
  const { row } = await requireDashboard(context, ref, 'write')
  await requirePublic(ports, row.id)
  await commit(ports.database, [
    store.moveToken(ports.database, row.id, await newToken(ports)),
    recorded(context, 'move public link', { objectId: row.id }),
  ])
  return viewOf(context, await requirePublic(ports, row.id))
}

/** Ends the public link of a dashboard. @throws {Refusal} not_found, forbidden */
export async function deletePublic(context: Context, ref: DashboardRef): Promise<void> {
  const { ports } = context
  const { row } = await requireDashboard(context, ref, 'write')
  await requirePublic(ports, row.id)
  await commit(ports.database, [
    store.deletePublic(ports.database, row.id),
    recorded(context, 'unpublish', { objectId: row.id }),
  ])
}

function requirePossible(definition: Definition, { params, adjustable }: PublicBody): void {
  const known = new Map(definition.parameters.map((parameter) => [parameter.name, parameter]))
  const faults: Fault[] = [
    ...faultsOfValues(definition, params).map(({ name, message }) => ({
      pointer: pointerOf(['params', name]),
      message,
    })),
    ...adjustable.flatMap((name, index) => {
      const parameter = known.get(name)
      const mayBe = parameter && !parameter.hidden && ADJUSTABLE.has(parameter.type)
      return mayBe
        ? []
        : [
            {
              pointer: `/adjustable/${index}`,
              message: 'must be a parameter that is not hidden, with declared values',
            },
          ]
    }),
  ]
  if (faults.length > 0) throw new Refusal('invalid', 'The public link is invalid; see errors.', faults)
}

async function requirePublic({ database }: Ports, dashboardId: number): Promise<PublicRow> {
  const link = await store.findPublic(database, dashboardId)
  if (!link) throw new Refusal('not_found', 'The dashboard has no public link.')
  return link
}

/** The token is found by its hash, and is also stored encrypted, because writers read the path again. */
async function newToken({ secrets }: Ports): Promise<Pick<PublicRow, 'tokenHash' | 'tokenSealed'>> {
  const bytes = secrets.random(TOKEN_BYTES)
  return { tokenHash: await sha256(base64url(bytes)), tokenSealed: await seal(secrets, bytes, PURPOSE) }
}

async function viewOf({ ports }: Context, link: PublicRow): Promise<PublicView> {
  const { secrets, settings, clock } = ports
  const format = timeFormat(settings.timeZone)
  const [bytes, publisher, isOn] = await Promise.all([
    unseal(secrets, link.tokenSealed, PURPOSE),
    publisherOf(ports, link),
    hasPublicDashboards(ports),
  ])
  return {
    path: `${settings.basePath}/public/dashboards/${base64url(bytes)}`,
    expiresAt: link.expiresAt === null ? null : format(link.expiresAt),
    ...link.settings,
    publishedBy: publisher?.name ?? '',
    works: isOn && publisher?.mayPublish === true && !isOver(link, clock.now()),
    createdAt: format(link.createdAt),
  }
}

export function isOver({ expiresAt }: Pick<PublicRow, 'expiresAt'>, now: number): boolean {
  return expiresAt !== null && expiresAt <= now
}

async function publisherOf(ports: Ports, { userId, dashboardId }: PublicRow) {
  const account = await accountOf(ports, userId)
  if (!account) return null
  const context: Context = { ports, requestId: '', caller: userOf(account) }
  const sights = await sightsOf(context)
  const found = await requireDashboard(context, dashboardId, 'read').catch(nullIfRefused)
  return { name: account.username, mayPublish: found !== null && sights.ofDashboard(found.row).write }
}

function nullIfRefused(error: unknown): null {
  if (error instanceof Refusal) return null
  throw error
}
