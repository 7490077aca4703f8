CREATE TABLE `grants` (
	`object_id` integer NOT NULL,
	`user_id` integer,
	`group_id` integer,
	`write` integer NOT NULL,
	`execute` integer NOT NULL,
	`maintain` integer NOT NULL,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `user_groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `grants_by_user` ON `grants` (`user_id`,`object_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `grants_by_group` ON `grants` (`group_id`,`object_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `grants_of_everyone` ON `grants` (`object_id`) WHERE user_id is null and group_id is null;--> statement-breakpoint
CREATE INDEX `grants_by_object` ON `grants` (`object_id`);--> statement-breakpoint
CREATE TABLE `memberships` (
	`user_id` integer NOT NULL,
	`group_id` integer NOT NULL,
	PRIMARY KEY(`user_id`, `group_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `user_groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `memberships_by_group` ON `memberships` (`group_id`);--> statement-breakpoint
CREATE TABLE `preferences` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`document` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`address` text DEFAULT '' NOT NULL,
	`agent` text DEFAULT '' NOT NULL,
	`refresh_count` integer DEFAULT 0 NOT NULL,
	`owes` text DEFAULT '' NOT NULL,
	`scopes` text,
	`bounds` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sessions_by_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `setups` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `user_groups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_groups_name_unique` ON `user_groups` (`name`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`username` text NOT NULL,
	`username_key` text,
	`password_hash` text NOT NULL,
	`role` text NOT NULL,
	`type` text NOT NULL,
	`fullname` text NOT NULL,
	`email` text NOT NULL,
	`phone` text NOT NULL,
	`start_dashboard_id` integer,
	`language` text NOT NULL,
	`time_zone` text NOT NULL,
	`dark_mode` integer DEFAULT false NOT NULL,
	`properties` text DEFAULT '[]' NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`directory_id` text,
	`disabled_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_username_unique` ON `users` (`username`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_username_key_unique` ON `users` (`username_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_directory_id_unique` ON `users` (`directory_id`);--> statement-breakpoint
CREATE TABLE `alarm_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`alarm_id` integer NOT NULL,
	`version` integer NOT NULL,
	`object_id` integer NOT NULL,
	`link_id` integer NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`details` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alarm_changes_by_alarm` ON `alarm_changes` (`alarm_id`,`version`);--> statement-breakpoint
CREATE TABLE `alarm_comments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`alarm_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`alarm_id`) REFERENCES `alarms`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `alarm_comments_by_alarm` ON `alarm_comments` (`alarm_id`,`id`);--> statement-breakpoint
CREATE TABLE `alarm_links` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`object_id` integer NOT NULL,
	`position` integer NOT NULL,
	`covers` text NOT NULL,
	`min_state` text NOT NULL,
	`recipient_id` integer,
	`delay_ms` integer NOT NULL,
	`recovery_delay_ms` integer NOT NULL,
	`events` text NOT NULL,
	`opened_to` text,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `alarm_links_opening` ON `alarm_links` (`id`) WHERE opened_to is not null;--> statement-breakpoint
CREATE INDEX `alarm_links_by_object` ON `alarm_links` (`object_id`,`position`);--> statement-breakpoint
CREATE INDEX `alarm_links_by_recipient` ON `alarm_links` (`recipient_id`);--> statement-breakpoint
CREATE TABLE `alarms` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`object_id` integer NOT NULL,
	`link_id` integer NOT NULL,
	`opened_seq` integer NOT NULL,
	`status` text NOT NULL,
	`state` text NOT NULL,
	`worst_state` text NOT NULL,
	`begin_at` integer NOT NULL,
	`end_at` integer,
	`reason` text NOT NULL,
	`message` text,
	`silent_since_at` integer,
	`assignee_id` integer,
	`assigned_until_at` integer,
	`sticky` integer NOT NULL,
	`suppressed_by` integer,
	`held_reason` text,
	`maintained` integer NOT NULL,
	`flapping` integer NOT NULL,
	`delayed_until_at` integer,
	`well_since_at` integer,
	`due_at` integer,
	`is_unexplained` integer DEFAULT false NOT NULL,
	`version` integer NOT NULL,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`assignee_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alarms_by_opening` ON `alarms` (`object_id`,`link_id`,`opened_seq`);--> statement-breakpoint
CREATE UNIQUE INDEX `alarms_open` ON `alarms` (`object_id`,`link_id`) WHERE end_at is null;--> statement-breakpoint
CREATE INDEX `alarms_by_begin` ON `alarms` (`begin_at`,`id`);--> statement-breakpoint
CREATE INDEX `alarms_by_status` ON `alarms` (`status`,`begin_at`,`id`);--> statement-breakpoint
CREATE INDEX `alarms_by_link` ON `alarms` (`link_id`,`status`);--> statement-breakpoint
CREATE INDEX `alarms_by_assignee` ON `alarms` (`assignee_id`,`begin_at`) WHERE assignee_id is not null;--> statement-breakpoint
CREATE INDEX `alarms_by_due` ON `alarms` (`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `alarms_by_suppressor` ON `alarms` (`suppressed_by`) WHERE suppressed_by is not null;--> statement-breakpoint
CREATE INDEX `alarms_unexplained` ON `alarms` (`id`) WHERE is_unexplained = 1;--> statement-breakpoint
CREATE INDEX `alarms_of_nobody` ON `alarms` (`id`) WHERE status = 'assigned' and assignee_id is null;--> statement-breakpoint
CREATE INDEX `alarms_by_end` ON `alarms` (`end_at`) WHERE end_at is not null;--> statement-breakpoint
CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`user_id` integer NOT NULL,
	`username` text NOT NULL,
	`address` text NOT NULL,
	`request_id` text NOT NULL,
	`action` text NOT NULL,
	`object_type` text NOT NULL,
	`object_id` text NOT NULL,
	`before` text NOT NULL,
	`after` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_by_time` ON `audit` (`at`);--> statement-breakpoint
CREATE INDEX `audit_by_user` ON `audit` (`user_id`);--> statement-breakpoint
CREATE INDEX `audit_by_object` ON `audit` (`object_type`,`object_id`);--> statement-breakpoint
CREATE TABLE `backup_rows` (
	`run` text NOT NULL,
	`section` text NOT NULL,
	`place` integer NOT NULL,
	`cells` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`run`, `section`, `place`)
);
--> statement-breakpoint
CREATE INDEX `backup_rows_by_time` ON `backup_rows` (`at`);--> statement-breakpoint
CREATE TABLE `backups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`created_at` integer NOT NULL,
	`origin` text NOT NULL,
	`made_at` integer NOT NULL,
	`release` text NOT NULL,
	`has_histories` integer NOT NULL,
	`has_files` integer NOT NULL,
	`size_bytes` integer NOT NULL,
	`digest` text NOT NULL,
	`blob` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `backups_by_origin` ON `backups` (`origin`,`created_at`);--> statement-breakpoint
CREATE TABLE `restores` (
	`id` integer PRIMARY KEY NOT NULL,
	`digest` text NOT NULL,
	`made_at` integer NOT NULL,
	`began_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE TABLE `files` (
	`name` text PRIMARY KEY NOT NULL,
	`mime_type` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`blob` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `orphaned_blobs` (
	`key` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `orphaned_blobs_by_time` ON `orphaned_blobs` (`at`);--> statement-breakpoint
CREATE TABLE `settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`values` text NOT NULL,
	`secrets` text NOT NULL,
	`version` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `styles` (
	`name` text PRIMARY KEY NOT NULL,
	`text` text NOT NULL,
	`digest` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `translation_cache` (
	`provider` text NOT NULL,
	`source` text NOT NULL,
	`target` text NOT NULL,
	`digest` text NOT NULL,
	`text` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`provider`, `source`, `target`, `digest`)
);
--> statement-breakpoint
CREATE INDEX `translation_cache_by_time` ON `translation_cache` (`at`);--> statement-breakpoint
CREATE TABLE `translations` (
	`language` text NOT NULL,
	`key` text NOT NULL,
	`text` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`language`, `key`)
);
--> statement-breakpoint
CREATE TABLE `attempts` (
	`key` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`until_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `attempts_by_end` ON `attempts` (`until_at`);--> statement-breakpoint
CREATE TABLE `mfa` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`is_enforced` integer NOT NULL,
	`secret` text NOT NULL,
	`is_confirmed` integer NOT NULL,
	`last_step` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `passwords` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`hash` text NOT NULL,
	`set_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `passwords_by_user` ON `passwords` (`user_id`);--> statement-breakpoint
CREATE TABLE `personal_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`hash` text NOT NULL,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `personal_tokens_hash_unique` ON `personal_tokens` (`hash`);--> statement-breakpoint
CREATE INDEX `personal_tokens_by_user` ON `personal_tokens` (`user_id`);--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`user_id` integer NOT NULL,
	`hash` text NOT NULL,
	PRIMARY KEY(`user_id`, `hash`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `dashboard_grants` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`dashboard_id` integer,
	`group_id` integer,
	`user_id` integer,
	`user_group_id` integer,
	`write` integer NOT NULL,
	`execute` integer NOT NULL,
	FOREIGN KEY (`dashboard_id`) REFERENCES `dashboards`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `dashboard_groups`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_group_id`) REFERENCES `user_groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `dashboard_grants_by_dashboard` ON `dashboard_grants` (`dashboard_id`);--> statement-breakpoint
CREATE INDEX `dashboard_grants_by_group` ON `dashboard_grants` (`group_id`);--> statement-breakpoint
CREATE INDEX `dashboard_grants_by_user` ON `dashboard_grants` (`user_id`);--> statement-breakpoint
CREATE INDEX `dashboard_grants_by_user_group` ON `dashboard_grants` (`user_group_id`);--> statement-breakpoint
CREATE TABLE `dashboard_groups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`parent_id` integer,
	`name` text NOT NULL,
	`position` integer NOT NULL,
	`default_params` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`parent_id`) REFERENCES `dashboard_groups`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `dashboard_groups_by_name` ON `dashboard_groups` (`parent_id`,"name" collate nocase);--> statement-breakpoint
CREATE UNIQUE INDEX `dashboard_groups_at_root` ON `dashboard_groups` ("name" collate nocase) WHERE parent_id is null;--> statement-breakpoint
CREATE TABLE `dashboard_old_urls` (
	`url_name` text PRIMARY KEY NOT NULL,
	`dashboard_id` integer NOT NULL,
	`until_at` integer NOT NULL,
	FOREIGN KEY (`dashboard_id`) REFERENCES `dashboards`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `dashboard_old_urls_by_dashboard` ON `dashboard_old_urls` (`dashboard_id`);--> statement-breakpoint
CREATE TABLE `dashboard_publics` (
	`dashboard_id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`token_hash` text NOT NULL,
	`token_sealed` text NOT NULL,
	`expires_at` integer,
	`settings` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`dashboard_id`) REFERENCES `dashboards`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `dashboard_publics_by_token` ON `dashboard_publics` (`token_hash`);--> statement-breakpoint
CREATE INDEX `dashboard_publics_by_user` ON `dashboard_publics` (`user_id`);--> statement-breakpoint
CREATE TABLE `dashboard_references` (
	`dashboard_id` integer NOT NULL,
	`pointer` text NOT NULL,
	`widget_id` text NOT NULL,
	`kind` text NOT NULL,
	`target_id` integer NOT NULL,
	`target_name` text NOT NULL,
	`title` text NOT NULL,
	PRIMARY KEY(`dashboard_id`, `pointer`),
	FOREIGN KEY (`dashboard_id`) REFERENCES `dashboards`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `dashboard_references_by_target` ON `dashboard_references` (`kind`,`target_id`,`target_name`);--> statement-breakpoint
CREATE TABLE `dashboard_snapshots` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`dashboard_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`until_at` integer NOT NULL,
	`contents` text NOT NULL,
	FOREIGN KEY (`dashboard_id`) REFERENCES `dashboards`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `dashboard_snapshots_by_dashboard` ON `dashboard_snapshots` (`dashboard_id`);--> statement-breakpoint
CREATE INDEX `dashboard_snapshots_by_user` ON `dashboard_snapshots` (`user_id`);--> statement-breakpoint
CREATE TABLE `dashboard_versions` (
	`dashboard_id` integer NOT NULL,
	`number` integer NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`definition` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`dashboard_id`, `number`),
	FOREIGN KEY (`dashboard_id`) REFERENCES `dashboards`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `dashboards` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`group_id` integer,
	`name` text NOT NULL,
	`url_name` text NOT NULL,
	`description` text NOT NULL,
	`definition` text NOT NULL,
	`number` integer NOT NULL,
	`managed_by` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`updated_by` text NOT NULL,
	FOREIGN KEY (`group_id`) REFERENCES `dashboard_groups`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `dashboards_by_uuid` ON `dashboards` (`uuid`);--> statement-breakpoint
CREATE UNIQUE INDEX `dashboards_by_url_name` ON `dashboards` (`url_name`);--> statement-breakpoint
CREATE INDEX `dashboards_by_group` ON `dashboards` (`group_id`);--> statement-breakpoint
CREATE TABLE `demo` (
	`id` integer PRIMARY KEY NOT NULL,
	`seed` text NOT NULL,
	`state` text NOT NULL,
	`anchor_at` integer NOT NULL,
	`step` integer NOT NULL,
	`fed_step` integer NOT NULL,
	`made` text NOT NULL,
	`held_until_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `dependencies` (
	`object_id` integer NOT NULL,
	`depends_on_id` integer NOT NULL,
	PRIMARY KEY(`object_id`, `depends_on_id`),
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`depends_on_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `dependencies_by_target` ON `dependencies` (`depends_on_id`,`object_id`);--> statement-breakpoint
CREATE TABLE `directory_syncs` (
	`id` integer PRIMARY KEY NOT NULL,
	`due_at` integer NOT NULL,
	`held_until_at` integer NOT NULL,
	`report` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `event_epochs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`opened_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `forecast_bands` (
	`job_id` integer NOT NULL,
	`key` text NOT NULL,
	`forecast_id` integer NOT NULL,
	`made_at` integer NOT NULL,
	`band` text NOT NULL,
	PRIMARY KEY(`job_id`, `key`, `forecast_id`),
	FOREIGN KEY (`job_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`forecast_id`) REFERENCES `forecasts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `forecast_bands_by_forecast` ON `forecast_bands` (`forecast_id`);--> statement-breakpoint
CREATE TABLE `forecast_groups` (
	`forecast_id` integer NOT NULL,
	`number` integer NOT NULL,
	`key` text NOT NULL,
	`quality` text NOT NULL,
	`outcome` text NOT NULL,
	`points` text,
	PRIMARY KEY(`forecast_id`, `number`),
	FOREIGN KEY (`forecast_id`) REFERENCES `forecasts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `forecasts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`definition` text NOT NULL,
	`owner_id` integer NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`next_at` integer,
	`published_run` text,
	`read_at` integer,
	`published_at` integer,
	`summary` text,
	`failure` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `forecasts_by_name` ON `forecasts` ("name" collate nocase);--> statement-breakpoint
CREATE INDEX `forecasts_by_next` ON `forecasts` (`next_at`);--> statement-breakpoint
CREATE TABLE `job_values` (
	`job_id` integer NOT NULL,
	`key` text NOT NULL,
	`name_folded` text NOT NULL,
	PRIMARY KEY(`job_id`, `key`),
	FOREIGN KEY (`job_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `job_values_by_key` ON `job_values` (`key`);--> statement-breakpoint
CREATE INDEX `job_values_by_name` ON `job_values` (`name_folded`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` integer PRIMARY KEY NOT NULL,
	`interval` text NOT NULL,
	`interval_ms` integer NOT NULL,
	`stopped` integer NOT NULL,
	`parameters` text NOT NULL,
	`thresholds` text NOT NULL,
	`forced_state` text,
	`flapping` text,
	FOREIGN KEY (`id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `jobs_by_interval` ON `jobs` (`interval_ms`);--> statement-breakpoint
CREATE INDEX `jobs_by_stopped` ON `jobs` (`stopped`);--> statement-breakpoint
CREATE TABLE `pings` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`job_id` integer NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`maker_id` integer NOT NULL,
	FOREIGN KEY (`job_id`) REFERENCES `jobs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pings_by_hash` ON `pings` (`hash`);--> statement-breakpoint
CREATE INDEX `pings_by_job` ON `pings` (`job_id`,`id`);--> statement-breakpoint
CREATE TABLE `unknown_limits` (
	`job_id` integer PRIMARY KEY NOT NULL,
	`since_at` integer NOT NULL,
	FOREIGN KEY (`job_id`) REFERENCES `jobs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `alarm_recipients` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`target` text NOT NULL,
	`shown_target` text NOT NULL,
	`user_id` integer,
	`user_group_id` integer,
	`rules` text NOT NULL,
	`handed_out` integer NOT NULL,
	`last_status` text,
	`last_detail` text,
	`last_at` integer,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alarm_recipients_name_unique` ON `alarm_recipients` (`name`);--> statement-breakpoint
CREATE TABLE `notice_progress` (
	`id` integer PRIMARY KEY NOT NULL,
	`change_id` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `notices` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`change_id` integer NOT NULL,
	`alarm_id` integer NOT NULL,
	`object_id` integer NOT NULL,
	`recipient_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`kind` text NOT NULL,
	`step` integer NOT NULL,
	`due_at` integer NOT NULL,
	`facts` text NOT NULL,
	`notification_id` integer,
	FOREIGN KEY (`recipient_id`) REFERENCES `alarm_recipients`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`notification_id`) REFERENCES `notifications`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `notices_once` ON `notices` (`change_id`,`recipient_id`,`user_id`,`kind`,`step`);--> statement-breakpoint
CREATE INDEX `notices_due` ON `notices` (`due_at`) WHERE notification_id is null;--> statement-breakpoint
CREATE INDEX `notices_by_alarm` ON `notices` (`alarm_id`);--> statement-breakpoint
CREATE INDEX `notices_by_recipient` ON `notices` (`recipient_id`);--> statement-breakpoint
CREATE INDEX `notices_by_notification` ON `notices` (`notification_id`);--> statement-breakpoint
CREATE TABLE `notification_pauses` (
	`id` integer PRIMARY KEY NOT NULL,
	`since_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `notifications` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`recipient_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`created_at` integer NOT NULL,
	`next_at` integer,
	`give_up_at` integer NOT NULL,
	`finished_at` integer,
	`detail` text NOT NULL,
	FOREIGN KEY (`recipient_id`) REFERENCES `alarm_recipients`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `notifications_key_unique` ON `notifications` (`key`);--> statement-breakpoint
CREATE INDEX `notifications_by_recipient` ON `notifications` (`recipient_id`,`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `notifications_by_status` ON `notifications` (`status`,`id`);--> statement-breakpoint
CREATE INDEX `notifications_by_next` ON `notifications` (`next_at`) WHERE next_at is not null;--> statement-breakpoint
CREATE INDEX `notifications_by_end` ON `notifications` (`finished_at`) WHERE finished_at is not null;--> statement-breakpoint
CREATE TABLE `oidc_identities` (
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`issuer`, `subject`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `oidc_identities_user_id_unique` ON `oidc_identities` (`user_id`);--> statement-breakpoint
CREATE TABLE `oidc_logins` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`challenge` text NOT NULL,
	`subject` text NOT NULL,
	`sid` text NOT NULL,
	`id_token` text NOT NULL,
	`is_strong` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `oidc_logins_by_end` ON `oidc_logins` (`expires_at`);--> statement-breakpoint
CREATE TABLE `oidc_sessions` (
	`session_hash` text PRIMARY KEY NOT NULL,
	`subject` text NOT NULL,
	`sid` text NOT NULL,
	`id_token` text NOT NULL,
	FOREIGN KEY (`session_hash`) REFERENCES `sessions`(`hash`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `oidc_sessions_by_subject` ON `oidc_sessions` (`subject`);--> statement-breakpoint
CREATE INDEX `oidc_sessions_by_sid` ON `oidc_sessions` (`sid`);--> statement-breakpoint
CREATE TABLE `oidc_states` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `oidc_states_by_end` ON `oidc_states` (`expires_at`);--> statement-breakpoint
CREATE TABLE `operations` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`user_id` integer NOT NULL,
	`node` text NOT NULL,
	`state` text NOT NULL,
	`progress` real,
	`lease_until_at` integer NOT NULL,
	`cancel_at` integer,
	`backend_pid` integer,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`ended_at` integer,
	`error` text,
	`result_bytes` integer
);
--> statement-breakpoint
CREATE INDEX `operations_by_lease` ON `operations` (`lease_until_at`);--> statement-breakpoint
CREATE INDEX `operations_by_user` ON `operations` (`user_id`);--> statement-breakpoint
CREATE TABLE `data_queries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`group_id` integer,
	`data_source_id` integer NOT NULL,
	`text` text NOT NULL,
	`parameters` text NOT NULL,
	`is_accessible` integer DEFAULT false NOT NULL,
	`published` integer NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`materialization` text,
	`escaping` text DEFAULT 'bind' NOT NULL,
	`assertions` text DEFAULT '[]' NOT NULL,
	`has_faults` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`group_id`) REFERENCES `data_query_groups`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `data_queries_by_name` ON `data_queries` ("name" collate nocase);--> statement-breakpoint
CREATE INDEX `data_queries_by_source` ON `data_queries` (`data_source_id`);--> statement-breakpoint
CREATE INDEX `data_queries_by_group` ON `data_queries` (`group_id`);--> statement-breakpoint
CREATE TABLE `data_query_groups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`parent_id` integer,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`parent_id`) REFERENCES `data_query_groups`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `data_query_groups_by_name` ON `data_query_groups` (`parent_id`,"name" collate nocase);--> statement-breakpoint
CREATE UNIQUE INDEX `data_query_groups_at_root` ON `data_query_groups` ("name" collate nocase) WHERE parent_id is null;--> statement-breakpoint
CREATE TABLE `data_query_references` (
	`query_id` integer NOT NULL,
	`is_published` integer NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`query_id`, `is_published`, `name`),
	FOREIGN KEY (`query_id`) REFERENCES `data_queries`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `data_query_references_by_name` ON `data_query_references` (`name`);--> statement-breakpoint
CREATE TABLE `data_query_results` (
	`query_id` integer PRIMARY KEY NOT NULL,
	`number` integer NOT NULL,
	`data_source_id` integer NOT NULL,
	`generation_id` integer,
	`columns` text NOT NULL,
	`rows` integer NOT NULL,
	`basis` text,
	`every_ms` integer,
	`next_at` integer,
	`refreshed_at` integer,
	`failures` integer NOT NULL,
	`failed_at` integer,
	`error` text NOT NULL,
	`lease` text,
	`lease_until_at` integer,
	`version` integer NOT NULL,
	FOREIGN KEY (`query_id`) REFERENCES `data_queries`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`generation_id`) REFERENCES `data_generations`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `data_query_results_by_next` ON `data_query_results` (`next_at`);--> statement-breakpoint
CREATE INDEX `data_query_results_by_generation` ON `data_query_results` (`generation_id`);--> statement-breakpoint
CREATE TABLE `data_query_versions` (
	`query_id` integer NOT NULL,
	`number` integer NOT NULL,
	`data_source_id` integer NOT NULL,
	`text` text NOT NULL,
	`parameters` text NOT NULL,
	`description` text NOT NULL,
	`user_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`materialization` text,
	`escaping` text DEFAULT 'bind' NOT NULL,
	`assertions` text DEFAULT '[]' NOT NULL,
	PRIMARY KEY(`query_id`, `number`),
	FOREIGN KEY (`query_id`) REFERENCES `data_queries`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `data_query_versions_materialized` ON `data_query_versions` (`query_id`,`number`) WHERE materialization is not null;--> statement-breakpoint
CREATE TABLE `revaluations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`object_id` integer NOT NULL,
	`type` text NOT NULL,
	`adjust_to` text NOT NULL,
	`begin_at` integer NOT NULL,
	`end_at` integer NOT NULL,
	`name` text NOT NULL,
	`incident` text,
	`comment` text,
	`sla_relevant` integer NOT NULL,
	`active` text NOT NULL,
	`in_past` integer NOT NULL,
	`linked_id` integer,
	`edit_only` integer NOT NULL,
	`running` integer NOT NULL,
	`next_at` integer,
	`cancelled_at` integer,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` integer NOT NULL,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `revaluations_by_object` ON `revaluations` (`object_id`,`end_at`);--> statement-breakpoint
CREATE INDEX `revaluations_by_begin` ON `revaluations` (`begin_at`,`id`,`end_at`);--> statement-breakpoint
CREATE INDEX `revaluations_by_next` ON `revaluations` (`next_at`) WHERE next_at is not null;--> statement-breakpoint
CREATE INDEX `revaluations_in_past` ON `revaluations` (`end_at`) WHERE in_past = 1;--> statement-breakpoint
CREATE INDEX `revaluations_running` ON `revaluations` (`object_id`) WHERE running = 1;--> statement-breakpoint
CREATE TABLE `run_files` (
	`run_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`blob` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`sha256` text NOT NULL,
	`mime_type` text NOT NULL,
	PRIMARY KEY(`run_id`, `kind`, `name`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `run_log_lines` (
	`run_id` text NOT NULL,
	`line` integer NOT NULL,
	`at` integer NOT NULL,
	`stream` text NOT NULL,
	`text` text NOT NULL,
	PRIMARY KEY(`run_id`, `line`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `run_repeats` (
	`user_id` integer NOT NULL,
	`key` text NOT NULL,
	`digest` text NOT NULL,
	`run_id` text NOT NULL,
	`until_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `run_repeats_by_time` ON `run_repeats` (`until_at`);--> statement-breakpoint
CREATE TABLE `runners` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`token_hash` text NOT NULL,
	`about` text NOT NULL,
	`registered_at` integer NOT NULL,
	`seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `runners_name_unique` ON `runners` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `runners_token_hash_unique` ON `runners` (`token_hash`);--> statement-breakpoint
CREATE TABLE `runs` (
	`id` text PRIMARY KEY NOT NULL,
	`script_id` integer NOT NULL,
	`run_configuration_id` integer NOT NULL,
	`trigger` text NOT NULL,
	`user_id` integer,
	`state` text NOT NULL,
	`attempt` integer NOT NULL,
	`order` text NOT NULL,
	`retries` integer NOT NULL,
	`runner_id` integer,
	`runner_name` text,
	`session_hash` text,
	`attempt_hash` text,
	`lease_until` integer,
	`is_cancelled` integer NOT NULL,
	`exit_code` integer,
	`progress` real,
	`progress_message` text,
	`log_sequence` integer NOT NULL,
	`log_lines` integer NOT NULL,
	`isolation` text,
	`error` text,
	`report_to` integer,
	`report_state` text,
	`queued_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	FOREIGN KEY (`script_id`) REFERENCES `scripts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `runs_by_script` ON `runs` (`script_id`,`id`);--> statement-breakpoint
CREATE INDEX `runs_by_configuration` ON `runs` (`script_id`,`run_configuration_id`,`id`);--> statement-breakpoint
CREATE INDEX `runs_queued` ON `runs` (`script_id`,`run_configuration_id`,`id`) WHERE state = 'queued';--> statement-breakpoint
CREATE UNIQUE INDEX `runs_held` ON `runs` (`script_id`,`run_configuration_id`) WHERE lease_until is not null;--> statement-breakpoint
CREATE INDEX `runs_by_lease` ON `runs` (`lease_until`) WHERE lease_until is not null;--> statement-breakpoint
CREATE INDEX `runs_to_report` ON `runs` (`id`) WHERE report_state = 'due';--> statement-breakpoint
CREATE INDEX `runs_finished` ON `runs` (`script_id`,`id`) WHERE finished_at is not null;--> statement-breakpoint
CREATE TABLE `run_configurations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`script_id` integer NOT NULL,
	`name` text NOT NULL,
	`is_default` integer NOT NULL,
	`timeout_s` integer,
	`rules` text NOT NULL,
	`secrets` text NOT NULL,
	`changed_by` integer,
	`changed_role` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`script_id`) REFERENCES `scripts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `run_configurations_by_name` ON `run_configurations` (`script_id`,"name" collate nocase);--> statement-breakpoint
CREATE UNIQUE INDEX `run_configurations_by_default` ON `run_configurations` (`script_id`) WHERE is_default = 1;--> statement-breakpoint
CREATE TABLE `schedule_configurations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`script_id` integer NOT NULL,
	`name` text NOT NULL,
	`is_enabled` integer NOT NULL,
	`cron` text NOT NULL,
	`time_zone` text NOT NULL,
	`run_configuration_id` integer,
	`misfire` text NOT NULL,
	`user_id` integer,
	`next_at` integer,
	`last_at` integer,
	`last_result` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`script_id`) REFERENCES `scripts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`run_configuration_id`) REFERENCES `run_configurations`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `schedule_configurations_by_name` ON `schedule_configurations` (`script_id`,"name" collate nocase);--> statement-breakpoint
CREATE INDEX `schedule_configurations_by_next` ON `schedule_configurations` (`next_at`) WHERE next_at is not null;--> statement-breakpoint
CREATE TABLE `script_dependents` (
	`script_id` integer NOT NULL,
	`kind` text NOT NULL,
	`owner_id` integer NOT NULL,
	`part` text NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`script_id`, `kind`, `owner_id`, `part`),
	FOREIGN KEY (`script_id`) REFERENCES `scripts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `script_dependents_by_owner` ON `script_dependents` (`kind`,`owner_id`);--> statement-breakpoint
CREATE TABLE `script_files` (
	`script_id` integer NOT NULL,
	`path` text NOT NULL,
	`is_directory` integer NOT NULL,
	`blob` text,
	`size_bytes` integer NOT NULL,
	`sha256` text NOT NULL,
	`mime_type` text NOT NULL,
	`is_text` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`script_id`, `path`),
	FOREIGN KEY (`script_id`) REFERENCES `scripts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `script_groups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `script_groups_by_name` ON `script_groups` ("name" collate nocase);--> statement-breakpoint
CREATE TABLE `scripts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`group_id` integer NOT NULL,
	`timeout_s` integer NOT NULL,
	`accepted_files` text NOT NULL,
	`detection` text NOT NULL,
	`changed_by` integer,
	`changed_role` text,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`group_id`) REFERENCES `script_groups`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `scripts_by_name` ON `scripts` ("name" collate nocase);--> statement-breakpoint
CREATE INDEX `scripts_by_group` ON `scripts` (`group_id`);--> statement-breakpoint
CREATE TABLE `webhook_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`script_id` integer NOT NULL,
	`run_configuration_id` integer,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`former_hash` text,
	`former_until` integer,
	`signing_key` text,
	`former_signing_key` text,
	`user_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`script_id`) REFERENCES `scripts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`run_configuration_id`) REFERENCES `run_configurations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_tokens_hash_unique` ON `webhook_tokens` (`hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_tokens_former_hash_unique` ON `webhook_tokens` (`former_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_tokens_by_name` ON `webhook_tokens` (`script_id`,"name" collate nocase);--> statement-breakpoint
CREATE TABLE `slc_maintenance` (
	`slc_id` integer NOT NULL,
	`seq` integer NOT NULL,
	`at` integer NOT NULL,
	`maintained` integer NOT NULL,
	`excused` integer NOT NULL,
	PRIMARY KEY(`slc_id`, `seq`),
	FOREIGN KEY (`slc_id`) REFERENCES `slcs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `slc_periods` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`slc_id` integer NOT NULL,
	`begin_at` integer NOT NULL,
	`end_at` integer NOT NULL,
	`terms` text NOT NULL,
	FOREIGN KEY (`slc_id`) REFERENCES `slcs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `slc_periods_by_end` ON `slc_periods` (`slc_id`,`end_at`);--> statement-breakpoint
CREATE TABLE `slc_revisions` (
	`period_id` integer NOT NULL,
	`revision` integer NOT NULL,
	`active_ms` integer NOT NULL,
	`used_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`author` text,
	`reason` text,
	PRIMARY KEY(`period_id`, `revision`),
	FOREIGN KEY (`period_id`) REFERENCES `slc_periods`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `slcs` (
	`id` integer PRIMARY KEY NOT NULL,
	`duration` text NOT NULL,
	`reset_interval` text NOT NULL,
	`time_zone` text NOT NULL,
	`limit_percent` real NOT NULL,
	`target_percent` real,
	`warn_at_percent` real NOT NULL,
	`active_time` text,
	`next_at` integer NOT NULL,
	`judged` text,
	`frozen_until_at` integer NOT NULL,
	FOREIGN KEY (`id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `slcs_by_next` ON `slcs` (`next_at`);--> statement-breakpoint
CREATE TABLE `links` (
	`parent_id` integer NOT NULL,
	`child_id` integer NOT NULL,
	`position` integer NOT NULL,
	`weight` integer NOT NULL,
	`overrides` text NOT NULL,
	`by_filter` integer DEFAULT false NOT NULL,
	`is_left_out` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`parent_id`, `child_id`),
	FOREIGN KEY (`parent_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`child_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `links_by_child` ON `links` (`child_id`);--> statement-breakpoint
CREATE TABLE `slos` (
	`id` integer PRIMARY KEY NOT NULL,
	`device_id` integer NOT NULL,
	`state_operation` text NOT NULL,
	`push_state` text NOT NULL,
	`sort_mode` text NOT NULL,
	`rules` text NOT NULL,
	`is_reason` integer NOT NULL,
	`costs_per_min` real NOT NULL,
	`currency` text NOT NULL,
	`risk_factor` real NOT NULL,
	`children_filter` text,
	`is_full` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `slos_by_filter` ON `slos` (`id`) WHERE children_filter is not null;--> statement-breakpoint
CREATE TABLE `data_generations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`data_source_id` integer NOT NULL,
	`drop_at` integer
);
--> statement-breakpoint
CREATE INDEX `data_generations_by_drop` ON `data_generations` (`drop_at`);--> statement-breakpoint
CREATE TABLE `data_refreshes` (
	`table_id` integer PRIMARY KEY NOT NULL,
	`origin` text NOT NULL,
	`every_ms` integer,
	`next_at` integer,
	`refreshed_at` integer,
	`failures` integer NOT NULL,
	`failed_at` integer,
	`error` text NOT NULL,
	`lease` text,
	`lease_until_at` integer,
	`version` integer NOT NULL,
	FOREIGN KEY (`table_id`) REFERENCES `data_tables`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `data_refreshes_by_next` ON `data_refreshes` (`next_at`);--> statement-breakpoint
CREATE TABLE `data_scope_subjects` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`scope_id` integer NOT NULL,
	`user_id` integer,
	`group_id` integer,
	`role` text,
	FOREIGN KEY (`scope_id`) REFERENCES `data_scopes`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `user_groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `data_scope_subjects_by_scope` ON `data_scope_subjects` (`scope_id`);--> statement-breakpoint
CREATE INDEX `data_scope_subjects_by_user` ON `data_scope_subjects` (`user_id`);--> statement-breakpoint
CREATE INDEX `data_scope_subjects_by_group` ON `data_scope_subjects` (`group_id`);--> statement-breakpoint
CREATE TABLE `data_scopes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`data_source_id` integer NOT NULL,
	`name` text NOT NULL,
	`tables` text NOT NULL,
	`access` text NOT NULL,
	`filter` text,
	`hidden_columns` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`data_source_id`) REFERENCES `data_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `data_scopes_by_name` ON `data_scopes` (`data_source_id`,"name" collate nocase);--> statement-breakpoint
CREATE TABLE `data_source_catalogues` (
	`data_source_id` integer PRIMARY KEY NOT NULL,
	`digests` text NOT NULL,
	`synced_at` integer NOT NULL,
	FOREIGN KEY (`data_source_id`) REFERENCES `data_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `data_source_notes` (
	`data_source_id` integer NOT NULL,
	`table_name` text NOT NULL,
	`column_name` text NOT NULL,
	`comment` text,
	`annotations` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`data_source_id`, `table_name`, `column_name`),
	FOREIGN KEY (`data_source_id`) REFERENCES `data_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `data_sources` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`type` text NOT NULL,
	`is_read_only` integer NOT NULL,
	`timeout_ms` integer NOT NULL,
	`connection` text NOT NULL,
	`password` text,
	`scope_mode` text DEFAULT 'filters' NOT NULL,
	`comment` text,
	`annotations` text DEFAULT '{}' NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `data_sources_by_name` ON `data_sources` ("name" collate nocase);--> statement-breakpoint
CREATE TABLE `data_tables` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`data_source_id` integer NOT NULL,
	`name` text NOT NULL,
	`columns` text NOT NULL,
	`generation_id` integer NOT NULL,
	`rows` integer NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`data_source_id`) REFERENCES `data_sources`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`generation_id`) REFERENCES `data_generations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `data_tables_by_name` ON `data_tables` (`data_source_id`,"name" collate nocase);--> statement-breakpoint
CREATE INDEX `data_tables_by_generation` ON `data_tables` (`generation_id`);--> statement-breakpoint
CREATE TABLE `data_uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`data_source_id` integer NOT NULL,
	`blob` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`data_source_id`) REFERENCES `data_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `data_uploads_by_source` ON `data_uploads` (`data_source_id`);--> statement-breakpoint
CREATE INDEX `data_uploads_by_expiry` ON `data_uploads` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sla_changes` (
	`object_id` integer NOT NULL,
	`seq` integer NOT NULL,
	`at` integer NOT NULL,
	`to_state` text,
	PRIMARY KEY(`object_id`, `seq`),
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `states` (
	`object_id` integer PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`state` text NOT NULL,
	`since_at` integer NOT NULL,
	`heard` integer,
	`bare` text,
	`maintained` integer DEFAULT false NOT NULL,
	`tally` text,
	`moment` text,
	`sla_state` text,
	`flapping` integer DEFAULT false NOT NULL,
	`alarmed_seq` integer DEFAULT 0 NOT NULL,
	`alarmed_flapping` integer DEFAULT false NOT NULL,
	`news` text,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `states_by_state` ON `states` (`state`,`object_id`);--> statement-breakpoint
CREATE INDEX `states_unalarmed` ON `states` (`object_id`) WHERE alarmed_seq < seq or alarmed_flapping <> flapping or news is not null;--> statement-breakpoint
CREATE TABLE `transitions` (
	`object_id` integer NOT NULL,
	`seq` integer NOT NULL,
	`at` integer NOT NULL,
	`detected_at` integer NOT NULL,
	`from_state` text NOT NULL,
	`to_state` text NOT NULL,
	`reason` text NOT NULL,
	`error_code` integer NOT NULL,
	`message` text,
	`silent_since_at` integer,
	`cause_id` integer,
	PRIMARY KEY(`object_id`, `seq`),
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `transitions_by_time` ON `transitions` (`object_id`,`at`);--> statement-breakpoint
CREATE INDEX `transitions_by_instant` ON `transitions` (`at`,`object_id`,`seq`);--> statement-breakpoint
CREATE TABLE `status_page_children` (
	`object_id` integer NOT NULL,
	`child_id` integer NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`object_id`, `child_id`),
	FOREIGN KEY (`object_id`) REFERENCES `status_pages`(`object_id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`child_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `status_page_children_by_child` ON `status_page_children` (`child_id`);--> statement-breakpoint
CREATE TABLE `status_pages` (
	`object_id` integer PRIMARY KEY NOT NULL,
	`page_hash` text NOT NULL,
	`page_sealed` text NOT NULL,
	`badge_hash` text NOT NULL,
	`badge_sealed` text NOT NULL,
	`days` integer NOT NULL,
	`title` text,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `status_pages_by_page` ON `status_pages` (`page_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `status_pages_by_badge` ON `status_pages` (`badge_hash`);--> statement-breakpoint
CREATE TABLE `devices` (
	`id` integer PRIMARY KEY NOT NULL,
	`address` text NOT NULL,
	`netmask` text NOT NULL,
	`device_name` text NOT NULL,
	`parameter` text NOT NULL,
	FOREIGN KEY (`id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `devices_by_address` ON `devices` (`address`);--> statement-breakpoint
CREATE INDEX `devices_by_netmask` ON `devices` (`netmask`);--> statement-breakpoint
CREATE TABLE `objects` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`type` text NOT NULL,
	`sub_type` text NOT NULL,
	`name` text NOT NULL,
	`name_folded` text NOT NULL,
	`parent_id` integer,
	`path` text NOT NULL,
	`is_template` integer NOT NULL,
	`instance_type` text NOT NULL,
	`template_id` integer,
	`collector_id` integer NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`parent_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `objects_by_parent` ON `objects` (`parent_id`,`type`,`name_folded`);--> statement-breakpoint
CREATE UNIQUE INDEX `objects_by_path` ON `objects` (`path`);--> statement-breakpoint
CREATE INDEX `objects_by_name` ON `objects` (`name_folded`);--> statement-breakpoint
CREATE INDEX `objects_by_type` ON `objects` (`type`,`path`);--> statement-breakpoint
CREATE INDEX `objects_by_sub_type` ON `objects` (`type`,`sub_type`);--> statement-breakpoint
CREATE INDEX `objects_by_template` ON `objects` (`template_id`) WHERE template_id is not null;--> statement-breakpoint
CREATE TABLE `properties` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`object_id` integer NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`number` real,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `properties_by_object` ON `properties` (`object_id`,`key`);--> statement-breakpoint
CREATE INDEX `properties_by_value` ON `properties` (`key`,`value`);--> statement-breakpoint
CREATE INDEX `properties_by_number` ON `properties` (`key`,`number`);--> statement-breakpoint
CREATE TABLE `stale_job_configs` (
	`object_id` integer PRIMARY KEY NOT NULL,
	`mark` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `stale_maintenance` (
	`object_id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`mark` integer NOT NULL,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `stale_memberships` (
	`object_id` integer PRIMARY KEY NOT NULL,
	`mark` integer NOT NULL,
	`is_whole` integer NOT NULL,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `stale_tallies` (
	`object_id` integer PRIMARY KEY NOT NULL,
	`mark` integer NOT NULL,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
-- Drizzle knows no virtual tables, triggers or rows: what follows is written by hand.
CREATE VIRTUAL TABLE `name_grams` USING fts5(`name_folded`, content='objects', content_rowid='id', tokenize='trigram case_sensitive 1');--> statement-breakpoint
CREATE TRIGGER `name_grams_insert` AFTER INSERT ON `objects` BEGIN
  INSERT INTO `name_grams` (`rowid`, `name_folded`) VALUES (new.`id`, new.`name_folded`);
END;--> statement-breakpoint
CREATE TRIGGER `name_grams_update` AFTER UPDATE OF `name_folded` ON `objects` WHEN old.`name_folded` <> new.`name_folded` BEGIN
  INSERT INTO `name_grams` (`name_grams`, `rowid`, `name_folded`) VALUES ('delete', old.`id`, old.`name_folded`);
  INSERT INTO `name_grams` (`rowid`, `name_folded`) VALUES (new.`id`, new.`name_folded`);
END;--> statement-breakpoint
CREATE TRIGGER `name_grams_delete` AFTER DELETE ON `objects` BEGIN
  INSERT INTO `name_grams` (`name_grams`, `rowid`, `name_folded`) VALUES ('delete', old.`id`, old.`name_folded`);
END;--> statement-breakpoint
CREATE TRIGGER `audit_is_not_changed` BEFORE UPDATE ON `audit` BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `audit_is_not_removed` BEFORE DELETE ON `audit` BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
--> statement-breakpoint
INSERT INTO `objects` (`id`, `type`, `sub_type`, `name`, `name_folded`, `parent_id`, `path`, `is_template`, `instance_type`, `collector_id`, `version`, `created_at`)
VALUES (1, 'group', 'group', 'root', 'root', NULL, '/1/', 0, 'none', 0, 1, unixepoch() * 1000);--> statement-breakpoint
-- Everyone reads the whole tree and, with a role that can, writes and executes, until an administrator revokes this grant.
INSERT INTO `grants` (`object_id`, `user_id`, `group_id`, `write`, `execute`, `maintain`) VALUES (1, NULL, NULL, 1, 1, 0);--> statement-breakpoint
-- Each job, service level object and container has alarms; they notify no recipient until an administrator names one.
INSERT INTO `alarm_links` (`id`, `object_id`, `position`, `covers`, `min_state`, `recipient_id`, `delay_ms`, `recovery_delay_ms`, `events`)
VALUES (1, 1, 0, 'below', 'warning', NULL, 0, 0, '["opened","worsened","flapping","closed"]');
