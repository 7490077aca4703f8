import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../api/client.ts'
import { invalidate } from '../api/resource.ts'
import { user } from '../api/session.ts'
import { Button } from '../kit/controls.tsx'
import { toast, toastFailure } from '../kit/toasts.ts'
import { t } from '../language/t.ts'

/** Sends the notifications that were held back since a restore. */
export function ResumeNotifications(): JSX.Element {
  const [isBusy, setBusy] = useState(false)
  const refused = user.value?.role === 'administrator' ? undefined : t('resume.needsAdministrator')
  const resume = async (): Promise<void> => {
    setBusy(true)
    try {
      await call('post', '/notifications/resume', {})
      toast({ text: t('resume.done') })
      invalidate('/readyz', '/notifications')
    } catch (error) {
      toastFailure(error)
    }
    setBusy(false)
  }
  return (
    <Button small busy={isBusy} refused={refused} action={() => resume()}>
      {t('resume.notifications')}
    </Button>
  )
}
