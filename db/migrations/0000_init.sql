CREATE TABLE `sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
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
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`username` text NOT NULL,
	`password_hash` text NOT NULL,
	`role` text NOT NULL,
	`type` text NOT NULL,
	`fullname` text NOT NULL,
	`email` text NOT NULL,
	`phone` text NOT NULL,
	`start_dashboard_id` integer,
	`language` text NOT NULL,
	`time_zone` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_username_unique` ON `users` (`username`);--> statement-breakpoint
CREATE TABLE `actor_changes` (
	`job_id` integer PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL
);
--> statement-breakpoint
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
	FOREIGN KEY (`id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `jobs_by_interval` ON `jobs` (`interval_ms`);--> statement-breakpoint
CREATE INDEX `jobs_by_stopped` ON `jobs` (`stopped`);--> statement-breakpoint
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
CREATE TABLE `states` (
	`object_id` integer PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`state` text NOT NULL,
	`since_at` integer NOT NULL,
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `states_by_state` ON `states` (`state`,`object_id`);--> statement-breakpoint
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
	PRIMARY KEY(`object_id`, `seq`),
	FOREIGN KEY (`object_id`) REFERENCES `objects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `transitions_by_time` ON `transitions` (`object_id`,`at`);--> statement-breakpoint
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
INSERT INTO `objects` (`id`, `type`, `sub_type`, `name`, `name_folded`, `parent_id`, `path`, `is_template`, `instance_type`, `collector_id`, `version`, `created_at`)
VALUES (1, 'group', 'group', 'root', 'root', NULL, '/1/', 0, 'none', 0, 1, unixepoch() * 1000);
