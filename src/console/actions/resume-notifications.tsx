import type { JSX } from 'preact'

import { call } from '../api/client.ts'
import { invalidate } from '../api/resource.ts'
import { user } from '../api/session.ts'
import { Button } from '../kit/controls.tsx'
import { toast } from '../kit/toasts.ts'
import { t } from '../language/t.ts'

/** Sends the notifications that were held back since a restore. */
export function ResumeNotifications(): JSX.Element {
  const refused = user.value?.role === 'administrator' ? undefined : t('resume.needsAdministrator')
  const resume = async (): Promise<void> => {
    await call('post', '/notifications/resume', {})
    toast({ text: t('resume.done') })
    invalidate('/readyz', '/notifications')
  }
  return (
    <Button small refused={refused} action={resume}>
      {t('resume.notifications')}
    </Button>
  )
}
