import { attempt } from '../../../access/attempts/service.ts'
import type { FormPart } from '../../../content/files/multipart.ts'
import { callerFor, orderRun, takeUpload } from '../../../automation/runs/service.ts'
import type { Upload } from '../../../automation/runs/service.ts'
import { requireScript } from '../../../automation/scripts/service/changes.ts'
import { runnableOf } from '../../../automation/scripts/service/runnable.ts'
import { requireUser } from '../../../context.ts'
import type { Context } from '../../../context.ts'
import { sha256 } from '../../../lib/digest.ts'
import { Refusal } from '../../../lib/errors.ts'
import { pointerOf } from '../../../lib/pointer.ts'
import { MINUTE_MS } from '../../../lib/time.ts'
import { faultsOfValues, substituted } from '../parameters.ts'
import type { Values } from '../parameters.ts'
import type { DashboardRef } from '../schema.ts'
import { recorded } from '../service/changes.ts'
import { refuseValues, valuesOf } from '../service/values.ts'
import { requireDashboard } from '../service/views.ts'
import type { FoundDashboard } from '../service/views.ts'
import type { WidgetOf } from '../widgets.ts'
import { acceptedBy } from './accepted.ts'
import type { WidgetRunBody, WidgetRunView } from './schema.ts'

/** Runs that a user orders within a minute, by all widgets. */
const RUNS_MAX = 60

/** A script widget that the caller may run. */
export type RunnableWidget = {
  readonly found: FoundDashboard
  readonly id: string
  readonly widget: WidgetOf<'script'>
  readonly scriptId: number
  readonly filesMax: number
  readonly takeFile: (part: FormPart) => Promise<Upload>
}

/** @throws {Refusal} not_found, forbidden without the right to execute the dashboard, conflict for a widget of another kind,
 * no_runner for a widget without a script, too_many_attempts after 60 runs within a minute */
export async function requireWidget(
  context: Context,
  ref: DashboardRef,
  id: string,
): Promise<RunnableWidget> {
  const { ports } = context
  const { userId } = requireUser(context)
  const found = await requireDashboard(context, ref, 'execute')
  const widget = Object.hasOwn(found.definition.widgets, id) ? found.definition.widgets[id] : undefined
  if (!widget) throw new Refusal('not_found', 'The dashboard has no such widget.')
  if (widget.kind !== 'script') throw new Refusal('conflict', 'Only widgets of the kind script run.')
  const { scriptId, upload } = widget
  if (scriptId === null) throw new Refusal('no_runner', 'The widget has no script. Choose one.')
  await attempt(ports, [{ key: `widget run ${userId}`, max: RUNS_MAX, isShared: true }], MINUTE_MS)
  const script = await requireScript(ports, scriptId)
  const accepted = acceptedBy(script.acceptedFiles, upload?.accept ?? [])
  return {
    found,
    id,
    widget,
    scriptId,
    filesMax: upload?.maxFiles ?? 0,
    takeFile: (part) => takeUpload({ ports }, part, accepted),
  }
}

type Order = WidgetRunBody & { readonly uploads: readonly Upload[]; readonly key: string | null }

/** Orders the run of a widget in the name of the user who last changed its run configuration, as schedules run in the name
 * of their user: viewers of dashboards may not run scripts themselves.
 * @throws {Refusal} invalid for values of parameters, forbidden where this user may not run scripts, and as `orderRun` */
export async function runWidget(
  context: Context,
  { found, id, widget, scriptId }: RunnableWidget,
  { params, uploads, key }: Order,
): Promise<{ readonly run: WidgetRunView; readonly isReplayed: boolean }> {
  const { ports } = context
  const { userId } = requireUser(context)
  const parameters = parametersOf(found, widget, params)
  const { runConfigurationId, afterRun } = widget
  const { script, configuration } = await runnableOf(ports, scriptId, runConfigurationId)
  const ownerId = configuration.changedBy ?? script.changedBy
  const owner = await callerFor(ports, ownerId, 'The user who last changed the run configuration')
  const told = { widget: id, scriptId, rightsOf: owner.userId }
  const { job, isReplayed } = await orderRun(
    { ...context, caller: owner },
    {
      scriptId,
      runConfigurationId,
      arguments: null,
      parameters,
      trigger: 'dashboard',
      uploads,
      // Keys of callers are their own, and none of the user in whose name the script runs.
      key: key === null ? null : `widget ${userId} ${await sha256(JSON.stringify([found.row.id, id, key]))}`,
      also: [recorded(context, 'run', { objectId: found.row.id, after: told })],
    },
  )
  return { run: { id: job.id, state: job.state, queuedAt: job.queuedAt, afterRun }, isReplayed }
}

function parametersOf(
  found: FoundDashboard,
  widget: WidgetOf<'script'>,
  given: Values,
): Record<string, Values[string]> {
  refuseValues(faultsOfValues(found.definition, given), (name) => pointerOf(['params', name]))
  const values = valuesOf(found, given)
  return { ...substituted(widget.parameters, { ...values, ...substituted(widget.params, values) }) }
}
