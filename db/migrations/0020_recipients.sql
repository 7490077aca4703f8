CREATE TABLE `alarm_recipients` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`target` text NOT NULL,
	`shown_target` text NOT NULL,
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
CREATE INDEX `notifications_by_end` ON `notifications` (`finished_at`) WHERE finished_at is not null;