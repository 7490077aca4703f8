import type { JSX } from 'preact'

import type { Answer } from '../../api/client.ts'
import type { Resource } from '../../api/resource.ts'
import { Card } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { t } from '../../language/t.ts'

export type Dependents = Resource<Answer<'/dataQueries/{id}/dependents'>>
export type Dependent = Answer<'/dataQueries/{id}/dependents'>['items'][number]

/** The data queries that refer to this one. */
export function DependentsCard({ dependents }: { readonly dependents: Dependents }): JSX.Element {
  return (
    <Card title={t('queries.usedBy')}>
      <div class="pad">
        <Show resource={dependents} what={t('queries.failedUsedBy')}>
          {({ items }) =>
            items.length === 0 ? (
              <p class="quiet">{t('queries.usedByNone')}</p>
            ) : (
              <DependentList dependents={items} />
            )
          }
        </Show>
      </div>
    </Card>
  )
}

/** Data queries by name, and whether their draft or their published version refers. */
export function DependentList({ dependents }: { readonly dependents: readonly Dependent[] }): JSX.Element {
  return (
    <ul class="col">
      {dependents.map(({ id, name, draft, published }) => (
        <li key={id}>
          <a href={linkTo(`queries/${id}`)}>{name}</a>
          {draft !== published && (
            <span class="faint"> {t(draft ? 'queries.usedByDraft' : 'queries.usedByPublished')}</span>
          )}
        </li>
      ))}
    </ul>
  )
}
