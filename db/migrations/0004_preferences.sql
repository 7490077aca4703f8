CREATE TABLE `preferences` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`document` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
