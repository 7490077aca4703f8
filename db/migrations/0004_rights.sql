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
CREATE TABLE `user_groups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_groups_name_unique` ON `user_groups` (`name`);--> statement-breakpoint
ALTER TABLE `users` ADD `dark_mode` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- Everyone keeps what the role allowed everywhere until now.
INSERT INTO `grants` (`object_id`, `user_id`, `group_id`, `write`, `execute`, `maintain`) VALUES (1, NULL, NULL, 1, 1, 0);
