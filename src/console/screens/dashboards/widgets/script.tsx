import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { Button } from '../../../kit/controls.tsx'
import { linkTo } from '../../../kit/location.ts'
import { Ago } from '../../../kit/time.tsx'
import { useLive } from '../../../kit/use-live.ts'
import { t } from '../../../language/t.ts'
import { refusedUnless, RUNNERS } from '../../scripts/rights.ts'
import { RunStateBadge } from '../../scripts/run-state.tsx'
import { isActive } from '../../scripts/script.ts'
import type { RunState } from '../../scripts/script.ts'
import type { DataOf, Values, WidgetOf } from '../dashboard.ts'
import { latestRun } from '../latest-run.ts'
import type { OrderedRun } from '../latest-run.ts'
import { orderRun, ScriptDialog } from './script-dialog.tsx'

/** While a run goes on, its state is read at this pace. */
const FOLLOW_MS = 2_000

/** The latest run of a script, and a button that runs it. */
export function ScriptRun({
  widget,
  data,
  name,
  place,
  params,
  canExecute,
  reload,
}: {
  readonly widget: WidgetOf<'script'>
  readonly data: DataOf<'script'>
  readonly name: string
  readonly place: { readonly dashboardId: number; readonly widgetId: string }
  readonly params: Values
  readonly canExecute: boolean
  readonly reload: () => void
}): JSX.Element {
  const [isAsking, setAsking] = useState(false)
  const [ordered, setOrdered] = useState<OrderedRun | null>(null)
  const run = latestRun(data.run, ordered)
  const { scriptId, label, confirm, upload } = widget
  const runs = run !== null && isActive({ state: run.state as RunState })
  useLive(reload, runs, FOLLOW_MS)
  const order = async (files: readonly File[]): Promise<void> => {
    setOrdered(await orderRun(place, params, files))
    reload()
  }
  return (
    <div class="figure">
      <p class="row wrap" role="status">
        {run ? (
          <RunStateBadge state={run.state as RunState} />
        ) : (
          <span class="quiet">{t('boards.noRun')}</span>
        )}
        {run && <Ago at={run.finishedAt ?? run.queuedAt} />}
        {run && refusedUnless(RUNNERS) === undefined && (
          <a href={linkTo(`scripts/${scriptId ?? ''}/jobs/${run.id}`)}>{t('boards.openRun')}</a>
        )}
      </p>
      <p>
        <Button
          icon="play"
          refused={canExecute ? undefined : t('boards.needsExecute')}
          {...(confirm !== '' || upload ? { onClick: () => setAsking(true) } : { action: () => order([]) })}
        >
          {label === '' ? name : label}
        </Button>
      </p>
      {isAsking && (
        <ScriptDialog
          title={label === '' ? name : label}
          widget={widget}
          onRun={order}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}
