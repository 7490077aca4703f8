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
CREATE INDEX `dashboards_by_group` ON `dashboards` (`group_id`);