import { signalOf } from '../../../../lib/abort.ts'
import { attempt } from '../../../../access/attempts/service.ts'
import { networkOf } from '../../../../access/attempts/networks.ts'
import { accountOf } from '../../../../access/session/service.ts'
import { userOf } from '../../../../access/session/service/callers.ts'
import { hasPublicDashboards } from '../../../../content/settings/service.ts'
import type { Context } from '../../../../context.ts'
import { sightsMark } from '../../../../data/scopes/service/sights.ts'
import { ResultCache } from '../../../../data/selection/result-cache.ts'
import { sha256 } from '../../../../lib/digest.ts'
import { Refusal } from '../../../../lib/errors.ts'
import { onceFor } from '../../../../lib/once-for.ts'
import { MINUTE_MS, timeFormat } from '../../../../lib/time.ts'
import type { Ports } from '../../../../ports/index.ts'
import type { DataView } from '../../data/schema.ts'
import { readData } from '../../data/service.ts'
import { weightOf } from '../../data/service/weight.ts'
import type { Definition } from '../../definition.ts'
import { faultsOfValues, valuesOfTexts } from '../../parameters.ts'
import type { Values } from '../../parameters.ts'
import { refuseValues, valuesOf } from '../../service/values.ts'
import { requireDashboard, viewOf } from '../../service/views.ts'
import type { FoundDashboard } from '../../service/views.ts'
import type { FrameView } from '../schema.ts'
import { isOver } from '../service.ts'
import { findByToken } from '../store.ts'
import type { PublicRow } from '../store.ts'
import { isShown, visibleAnswer, visibleDefinition } from '../visible.ts'

/** How long data is shared by all readers of a link, unless scopes of its publisher change. */
const SHOWN_MS = 30_000
const SHOWN_MAX_BYTES = 16 * 1024 * 1024
/** Requests of a network within a minute, for each link. */
const REQUESTS_MAX = 60

type Opened = { readonly link: PublicRow; readonly context: Context; readonly found: FoundDashboard }

const cacheOf = onceFor(
  (_ports: Ports) =>
    new ResultCache<DataView>(SHOWN_MAX_BYTES, (view) => weightOf(Object.values(view.widgets))),
)

/** Whether there is a public dashboard behind a token. @throws {Refusal} as `open` */
export async function requireOpen(asking: Context, token: string): Promise<void> {
  await open(asking, token)
}

/** The shown parts of a public dashboard. @throws {Refusal} as `open` */
export async function readFrame(asking: Context, token: string): Promise<FrameView> {
  const { link, context, found } = await open(asking, token)
  const { adjustable, params, language } = link.settings
  const view = await viewOf(context, found, language === null ? { raw: true } : { raw: false, language })
  const { timeZone } = context.ports.settings
  return {
    name: view.name,
    description: view.description,
    language: view.language,
    definition: visibleDefinition(view.definition),
    params: withoutHidden(found.definition, valuesOf(found, params)),
    adjustable,
    expiresAt: link.expiresAt === null ? null : timeFormat(timeZone)(link.expiresAt),
  }
}

/** The data of a public dashboard, with the rights of the user who published it.
 * @param given values of adjustable parameters as texts of a URL
 * @throws {Refusal} invalid for other parameters, and as `open` */
export async function readPublicData(asking: Context, token: string, given: Values): Promise<DataView> {
  const { link, context, found } = await open(asking, token)
  const { definition, row } = found
  const own = valuesOfTexts(definition, given)
  const faults = [
    ...Object.keys(own)
      .filter((name) => !link.settings.adjustable.includes(name))
      .map((name) => ({ name, message: 'must be an adjustable parameter' })),
    ...faultsOfValues(definition, own),
  ]
  refuseValues(faults, (name) => `?p.${name}`)
  const params = { ...link.settings.params, ...own }
  const { timeRange } = link.settings
  const widgets = Object.entries(definition.widgets).flatMap(([id, widget]) => (isShown(widget) ? [id] : []))
  const { ports } = context
  const seen = await sightsMark(context)
  const { value: data } = await cacheOf(ports).find({
    name: JSON.stringify([link.tokenHash, link.userId, link.settings, row.version, params, seen]),
    ageMaxMs: SHOWN_MS,
    now: () => ports.clock.now(),
    signal: signalOf(asking.request),
    compute: () =>
      readData(context, row.id, {
        params,
        widgets,
        etags: {},
        width: {},
        ...(timeRange !== null && { timeRange }),
      }),
  })
  const answers = Object.entries(data.widgets).map(([id, answer]) => [id, visibleAnswer(answer)] as const)
  return { ...data, params: withoutHidden(definition, data.params), widgets: Object.fromEntries(answers) }
}

function withoutHidden({ parameters }: Definition, values: Values): Record<string, Values[string]> {
  const hidden = new Set(parameters.flatMap(({ name, hidden: isHidden }) => (isHidden ? [name] : [])))
  return Object.fromEntries(Object.entries(values).filter(([name]) => !hidden.has(name)))
}

/** The dashboard behind a token, in the name of the user who published it. It is looked up for each request.
 * @throws {Refusal} not_found for an unknown or expired token, for a user who may no longer publish the dashboard, and while
 * public links are switched off; too_many_attempts after 60 requests of a network within a minute */
async function open({ ports, requestId, request }: Context, token: string): Promise<Opened> {
  const { database, clock, network } = ports
  const link = await findByToken(database, await sha256(token))
  if (!link || isOver(link, clock.now()) || !(await hasPublicDashboards(ports))) throw nothing()
  const address = request ? networkOf(network.addressOf(request)) : ''
  const key = `public dashboard ${link.dashboardId} ${address}`
  await attempt(ports, [{ key, max: REQUESTS_MAX, isShared: true }], MINUTE_MS)
  const account = await accountOf(ports, link.userId)
  if (!account) throw nothing()
  // Without the request: its end would end the reading for all who share the data.
  const context: Context = { ports, requestId, caller: userOf(account) }
  try {
    const found = await requireDashboard(context, link.dashboardId, 'write')
    return { link, context, found }
  } catch (error) {
    if (error instanceof Refusal && (error.code === 'not_found' || error.code === 'forbidden'))
      throw nothing()
    throw error
  }
}

function nothing(): Refusal {
  return new Refusal('not_found', 'There is nothing at this path.')
}
