import type { JSX } from 'preact'

import { linkTo } from '../../../kit/location.ts'
import { Ago } from '../../../kit/time.tsx'
import { t } from '../../../language/t.ts'
import { RunStateBadge } from '../../scripts/run-state.tsx'
import type { RunState } from '../../scripts/script.ts'
import type { DataOf, WidgetOf } from '../dashboard.ts'

/** The latest run of a script, and the way to the script. */
export function ScriptRun({
  widget: { scriptId, label },
  data: { run },
  name,
}: {
  readonly widget: WidgetOf<'script'>
  readonly data: DataOf<'script'>
  readonly name: string
}): JSX.Element {
  return (
    <div class="figure">
      <p class="row wrap">
        {run ? (
          <RunStateBadge state={run.state as RunState} />
        ) : (
          <span class="quiet">{t('boards.noRun')}</span>
        )}
        {run && <Ago at={run.finishedAt ?? run.queuedAt} />}
      </p>
      <p>
        <a class="btn" href={linkTo(`scripts/${scriptId ?? ''}`)}>
          {label === '' ? name : label}
        </a>
      </p>
    </div>
  )
}
