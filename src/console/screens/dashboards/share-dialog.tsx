import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { API_BASE, call } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { user } from '../../api/session.ts'
import { Button, Check, TextField } from '../../kit/controls.tsx'
import { Code } from '../../kit/data.tsx'
import { FailureNote, Note, Skeleton } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { FormDialog } from '../../kit/overlays.tsx'
import { fullTimeText } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import type { Dashboard, Values } from './dashboard.ts'
import { sharedParams } from './share.ts'

/** A secret link, under which everyone reads a dashboard with the rights of the user who published it. */
export function ShareDialog({
  dashboard,
  params,
  onClose,
}: {
  readonly dashboard: Dashboard
  /** The values that the page shows. The link has them, where readers do not set others. */
  readonly params: Values
  readonly onClose: () => void
}): JSX.Element {
  const path = { id: String(dashboard.id) }
  const link = useGet('/dashboards/{id}/public', { path })
  const [until, setUntil] = useState('')
  const [isAdjustable, setAdjustable] = useState(true)
  const shared = link.data
  const publish = async (): Promise<void> => {
    const expiresAt = until === '' ? null : new Date(`${until}T23:59:59`).toISOString()
    const { adjustable, params: fixed } = sharedParams(dashboard.definition.parameters, params, isAdjustable)
    const body = { expiresAt, params: fixed, adjustable: [...adjustable] }
    await call('put', '/dashboards/{id}/public', { path, body })
    invalidate(`/dashboards/${path.id}/public`)
  }
  const end = async (): Promise<void> => {
    await call('delete', '/dashboards/{id}/public', { path })
    onClose()
    invalidate(`/dashboards/${path.id}/public`)
  }
  const isNone = link.failure?.status === 404
  return (
    <FormDialog
      title={t('boards.share')}
      submit={t(shared && !isNone ? 'boards.publishAgain' : 'boards.publish')}
      onSubmit={publish}
      onClose={() => undefined}
      onCancel={onClose}
      {...(shared && !isNone ? { cancel: t('kit.close') } : {})}
    >
      {() => (
        <>
          <p>{t('boards.shareText')}</p>
          {link.failure && !isNone && <FailureNote failure={link.failure} />}
          {!shared && !link.failure && <Skeleton lines={2} />}
          {shared && !isNone && (
            <>
              {!shared.works && (
                <Note kind="warning">
                  {t('boards.linkOff')}{' '}
                  {user.value?.role === 'administrator' && (
                    <a href={linkTo('settings')}>{t('nav.settings')}</a>
                  )}
                </Note>
              )}
              <Code label={t('boards.publicLink')} text={addressOfLink(shared.path)} />
              <p class="label">
                {t('boards.publishedBy', { name: shared.publishedBy })}
                {shared.expiresAt !== null &&
                  ` · ${t('boards.until', { time: fullTimeText(shared.expiresAt) })}`}
              </p>
              <span>
                <Button small kind="danger" action={() => end()}>
                  {t('boards.endLink')}
                </Button>
              </span>
            </>
          )}
          <TextField
            label={t('boards.untilDay')}
            hint={t('boards.untilHint')}
            type="date"
            value={until}
            onValue={setUntil}
          />
          {dashboard.definition.parameters.length > 0 && (
            <Check label={t('boards.adjustable')} checked={isAdjustable} onChange={setAdjustable} />
          )}
        </>
      )}
    </FormDialog>
  )
}

/** The page of a link: the API names the path of its data. */
function addressOfLink(path: string): string {
  return new URL(linkTo(`public/${path.slice(path.lastIndexOf('/') + 1)}`), API_BASE).href
}
