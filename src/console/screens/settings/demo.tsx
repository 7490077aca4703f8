import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Answer } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { user } from '../../api/session.ts'
import { Button } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { objectLink } from '../../kit/location.ts'
import { percentText } from '../../kit/numbers.ts'
import { Confirm } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { useLive } from '../../kit/use-live.ts'
import { t } from '../../language/t.ts'

type State = Answer<'/demo'>
const PACE_MS = 1_000
const SEED = 'tidemark'

/** The demo plant: made in an empty installation, removed after a confirmation. */
export function Demo(): JSX.Element {
  const demo = useGet('/demo', {})
  const [isDoomed, setDoomed] = useState(false)
  const state = demo.data?.state
  useLive(demo.reload, state === 'making' || state === 'removing', PACE_MS)
  const refused = user.value?.role === 'administrator' ? undefined : t('settings.needsAdministrator')
  const make = async (): Promise<void> => {
    await call('post', '/demo', { body: { seed: SEED } })
    invalidate('/demo')
  }
  return (
    <Card title={t('settings.demo')}>
      <div class="pad col">
        <Show resource={demo} what={t('settings.demo.failed')}>
          {(data) => (
            <>
              <p>{demoText(data)}</p>
              {(data.state === 'making' || data.state === 'removing') && (
                <progress max={1} value={data.progress} aria-label={t('settings.demo')} />
              )}
              <div class="row wrap">
                {data.groupId !== null && data.state === 'running' && (
                  <a href={objectLink('group', data.groupId)}>{t('settings.demo.open')}</a>
                )}
                {data.state === 'absent' && (
                  <Button icon="plus" refused={refused} action={() => make()}>
                    {t('settings.demo.make')}
                  </Button>
                )}
                {data.state === 'running' && (
                  <Button kind="danger" refused={refused} onClick={() => setDoomed(true)}>
                    {t('settings.demo.remove')}
                  </Button>
                )}
              </div>
            </>
          )}
        </Show>
      </div>
      {isDoomed && (
        <Confirm
          title={t('settings.demo.remove')}
          effect={t('settings.demo.removeEffect')}
          submit={t('settings.demo.remove')}
          onConfirm={async () => {
            await call('delete', '/demo', {})
            invalidate('/')
            toast({ text: t('settings.demo.removed') })
          }}
          onClose={() => setDoomed(false)}
        />
      )}
    </Card>
  )
}

function demoText({ state, progress }: State): string {
  return t(`settings.demo.${state}`, { progress: percentText(progress) })
}
