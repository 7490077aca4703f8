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
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
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
CREATE TABLE `doomed_blobs` (
	`key` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `doomed_blobs_by_time` ON `doomed_blobs` (`at`);--> statement-breakpoint
CREATE TABLE `files` (
	`name` text PRIMARY KEY NOT NULL,
	`mime_type` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`blob` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE `charges` (
	`object_id` integer NOT NULL,
	`seq` integer NOT NULL,
	`at` integer NOT NULL,
	`to_state` text,
	PRIMARY KEY(`object_id`, `seq`),
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
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
CREATE TABLE `slc_spells` (
	`slc_id` integer NOT NULL,
	`seq` integer NOT NULL,
	`at` integer NOT NULL,
	`maintained` integer NOT NULL,
	`excused` integer NOT NULL,
	PRIMARY KEY(`slc_id`, `seq`),
	FOREIGN KEY (`slc_id`) REFERENCES `slcs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
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
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `status_pages_by_page` ON `status_pages` (`page_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `status_pages_by_badge` ON `status_pages` (`badge_hash`);--> statement-breakpoint
ALTER TABLE `users` ADD `directory_id` text;--> statement-breakpoint
ALTER TABLE `users` ADD `disabled_at` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `users_directory_id_unique` ON `users` (`directory_id`);--> statement-breakpoint
ALTER TABLE `states` ADD `moment` text;--> statement-breakpoint
ALTER TABLE `states` ADD `charged` text;--> statement-breakpoint
ALTER TABLE `states` ADD `flapping` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `states` ADD `alarmed_seq` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `states` ADD `alarmed_flapping` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `states_unalarmed` ON `states` (`object_id`) WHERE alarmed_seq < seq or alarmed_flapping <> flapping;--> statement-breakpoint
-- What is bad already is an alarm, and nothing of what was before.
UPDATE `states` SET `alarmed_seq` = `seq` - (`seq` > 0 AND `state` IN ('major', 'minor', 'warning'));--> statement-breakpoint
-- Everything that is bad by itself is listed from the start, and sent to nobody.
INSERT INTO `alarm_links` (`id`, `object_id`, `position`, `covers`, `min_state`, `recipient_id`, `delay_ms`, `recovery_delay_ms`, `events`)
VALUES (1, 1, 0, 'below', 'warning', NULL, 0, 0, '["opened","worsened","flapping","closed"]');
