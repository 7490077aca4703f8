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
	`filters` text NOT NULL,
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
	`version` integer NOT NULL,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
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
CREATE INDEX `alarms_by_end` ON `alarms` (`end_at`) WHERE end_at is not null;--> statement-breakpoint
ALTER TABLE `states` ADD `flapping` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `states` ADD `alarmed_seq` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `states` ADD `alarmed_flapping` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `states_unalarmed` ON `states` (`object_id`) WHERE alarmed_seq < seq or alarmed_flapping <> flapping;