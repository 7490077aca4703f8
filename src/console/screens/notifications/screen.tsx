import type { JSX } from 'preact'
import { useRoute } from 'preact-iso'

import { ResumeNotifications } from '../../actions/resume-notifications.tsx'
import { useGet } from '../../api/resource.ts'
import { user } from '../../api/session.ts'
import { PageHead, Sections } from '../../kit/data.tsx'
import { Note } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { timeText } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { Links } from './links.tsx'
import { Messages } from './messages.tsx'
import { Recipients } from './recipient-list.tsx'
import { recipientsSentence } from './recipients.ts'

const SECTIONS = ['recipients', 'links', 'messages'] as const
const PARTS = { recipients: Recipients, links: Links, messages: Messages }

/** Recipients of alarms, the alarm links that lead to them, and the sent messages. */
export function Screen(): JSX.Element {
  const { params } = useRoute()
  const section = SECTIONS.find((one) => one === params['section']) ?? 'recipients'
  const { data } = useGet('/alarmrecipients', {})
  const Part = PARTS[section]
  return (
    <>
      <PageHead
        title={t('notifications.title')}
        sentence={data && recipientsSentence(data.items)}
        actions={
          <Sections
            label={t('notifications.sections')}
            sections={SECTIONS.map((one) => ({
              text: t(`notifications.${one}`),
              href: linkTo(one === 'recipients' ? 'notifications' : `notifications/${one}`),
              isCurrent: one === section,
            }))}
          />
        }
      />
      <div class="body">
        <Pause />
        <Part />
      </div>
    </>
  )
}

/** The pause since a restore, for administrators; nothing while notifications are sent. */
function Pause(): JSX.Element | null {
  const isAdministrator = user.value?.role === 'administrator'
  const { data } = useGet('/notifications/pause', isAdministrator ? {} : null, ['alarm'])
  if (!data?.pausedSince) return null
  return (
    <Note kind="warning" action={<ResumeNotifications />}>
      {t('notifications.paused', { time: timeText(data.pausedSince, true), count: data.waiting })}
    </Note>
  )
}
