import type { JSX } from 'preact'
import { useRoute } from 'preact-iso'

import { useGet } from '../../api/resource.ts'
import { Card, PageHead } from '../../kit/data.tsx'
import { BudgetRow } from '../../kit/charts/budget-row.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { BASE, objectLink } from '../../kit/location.ts'
import { rankOf, State } from '../../kit/state.tsx'
import { t } from '../../language/t.ts'
import { CreateButton } from './create-dialog.tsx'
import { ContainerPage } from './container.tsx'
import { listSentence } from './sentence.ts'
import { ServicePage } from './service.tsx'

/** Service levels: the list, one container (SLC) with its budget, or one service (SLO) with its reasons. */
export function Screen(): JSX.Element {
  const { params, path } = useRoute()
  const id = Number(params['id'] ?? 0)
  if (path.startsWith(`${BASE}slc/`)) return <ContainerPage key={id} id={id} />
  if (path.startsWith(`${BASE}slo/`)) return <ServicePage key={id} id={id} />
  return <Levels />
}

function Levels(): JSX.Element {
  const containers = useGet('/slcs', {}, ['state'])
  const services = useGet('/slos', {}, ['state'])
  const all = [...(containers.data?.items ?? []), ...(services.data?.items ?? [])]
  return (
    <>
      <PageHead
        title={t('nav.slos')}
        sentence={containers.data && services.data ? listSentence(all.map(({ state }) => state)) : ''}
      />
      <div class="body two-up">
        <Card
          title={t('levels.containers')}
          note={t('levels.containersNote')}
          actions={<CreateButton type="slc" />}
        >
          <Show resource={containers} what={t('levels.failed')}>
            {({ items }) =>
              items.length === 0 ? (
                <Empty
                  title={t('levels.noContainers')}
                  text={t('levels.noContainersText')}
                  action={<CreateButton type="slc" />}
                />
              ) : (
                <ul>
                  {items.map((one) => (
                    <BudgetRow key={one.id} id={one.id} name={one.name} />
                  ))}
                </ul>
              )
            }
          </Show>
        </Card>
        <Card
          title={t('levels.services')}
          note={t('levels.servicesNote')}
          actions={<CreateButton type="slo" />}
        >
          <Show resource={services} what={t('levels.failed')}>
            {({ items }) =>
              items.length === 0 ? (
                <Empty
                  title={t('levels.noServices')}
                  text={t('levels.noServicesText')}
                  action={<CreateButton type="slo" />}
                />
              ) : (
                <ul class="rows">
                  {items
                    .toSorted((a, b) => rankOf(b.state) - rankOf(a.state) || a.name.localeCompare(b.name))
                    .map(({ id, name, state }) => (
                      <li key={id} class="row">
                        <a class="grow cut" href={objectLink('slo', id)}>
                          {name}
                        </a>
                        <State state={state} />
                      </li>
                    ))}
                </ul>
              )
            }
          </Show>
        </Card>
      </div>
    </>
  )
}
